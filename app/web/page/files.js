// Files from and to the user's own machine.

function saveBlob(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

async function download(id, name, token) {
  const answer = await fetch('download?id=' + encodeURIComponent(id), {headers: {Authorization: 'Bearer ' + token}});
  if (!answer.ok) throw new Error(await answer.text());
  saveBlob(await answer.blob(), name);
}

// Files that are dropped on the window go to a private folder of the server, and the window opens them.
function listenToDrops(upload) {
  addEventListener('dragover', event => event.preventDefault());
  addEventListener('drop', event => {
    event.preventDefault();
    upload([...event.dataTransfer.files]);
  });
}

async function uploadAll(files, window_, token, note) {
  for (const file of files) {
    note('Bringing ' + file.name + ' to the server\u2026');
    const answer = await fetch('upload?name=' + encodeURIComponent(file.name) + '&window=' + encodeURIComponent(window_),
                               {method: 'POST', headers: {Authorization: 'Bearer ' + token}, body: file});
    if (!answer.ok) throw new Error(file.name + ': ' + await answer.text());
  }
  note('');
}

async function copyText(text, typed) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without permission, or in a page that is not safe by the browser's rules.
    typed.value = text;
    typed.select();
    document.execCommand('copy');
    typed.value = '';
  }
}
