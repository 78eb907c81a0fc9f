"""Helpers of the tests of other machines: a real sshd of the user's own on 127.0.0.1, and a line that can be cut, slowed
and delayed."""
import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
LACUNA = os.environ.get("LACUNA_BIN", "")
SSHD = shutil.which("sshd", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin:/sbin")


def why_no_sshd():
    """In words; empty: one can be started."""
    if not SSHD or not shutil.which("ssh") or not shutil.which("ssh-keygen"):
        return "no sshd (apt-get install openssh-server)"
    if os.getuid() == 0 and not os.path.isdir("/run/sshd"):
        try:
            os.mkdir("/run/sshd", 0o755)
        except OSError as error:
            return f"sshd as root needs /run/sshd: {error}"
    return ""


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Machine:
    """Another machine, as far as ssh can tell: a home of its own, an sshd with its own keys and configuration."""

    def __init__(self, has_lacuna=True, through=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lacuna-ssh-"))
        self.home = self.folder / "home"
        self.home.mkdir(0o700)
        (self.home / "run").mkdir(0o700)
        for name in ("host_key", "user_key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / name], check=True)
        shutil.copy(self.folder / "user_key.pub", self.folder / "authorized")
        self.port = free_port()
        path = os.environ.get("PATH", "/usr/bin:/bin")
        if has_lacuna:
            bin_folder = self.folder / "bin"
            bin_folder.mkdir()
            (bin_folder / "lacuna").symlink_to(LACUNA)
            path = f"{bin_folder}:{path}"
        (self.folder / "sshd_config").write_text(f"""
Port {self.port}
ListenAddress 127.0.0.1
HostKey {self.folder}/host_key
AuthorizedKeysFile {self.folder}/authorized
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
UsePAM no
StrictModes no
PidFile {self.folder}/sshd.pid
SetEnv HOME={self.home} PATH={path} XDG_RUNTIME_DIR={self.home}/run XDG_CACHE_HOME={self.home}/.cache XDG_STATE_HOME={self.home}/.state XDG_DATA_HOME={self.home}/.data
""")
        with open(self.folder / "sshd.log", "w") as log:
            self.process = subprocess.Popen([SSHD, "-D", "-e", "-f", self.folder / "sshd_config"], stderr=log)
        self.proxy = Proxy(self.port) if through else None
        self.write_client()
        end = time.monotonic() + 10
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                break
            except OSError:
                if time.monotonic() > end or self.process.poll() is not None:
                    raise RuntimeError("sshd does not start: " + (self.folder / "sshd.log").read_text())
                time.sleep(0.05)

    def write_client(self):
        """`ssh box`, by an ssh in front of the PATH that reads this test's configuration in place of the user's."""
        port = self.proxy.port if self.proxy else self.port
        (self.folder / "config").write_text(f"""
Host box
  HostName 127.0.0.1
  Port {port}
  User {pwd.getpwuid(os.getuid()).pw_name}
  IdentityFile {self.folder}/user_key
  IdentitiesOnly yes
  UserKnownHostsFile {self.folder}/known_hosts
  StrictHostKeyChecking accept-new
  LogLevel ERROR
""")
        front = self.folder / "front"
        front.mkdir(exist_ok=True)
        (front / "ssh").write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {self.folder}/config "$@"\n')
        (front / "ssh").chmod(0o755)

    def environment(self, **more):
        """Of the machine with the window."""
        here = self.folder / "here"
        here.mkdir(exist_ok=True)
        run = here / "run"
        run.mkdir(mode=0o700, exist_ok=True)
        return dict(os.environ, PATH=f"{self.folder}/front:{os.environ['PATH']}", HOME=str(here),
                    XDG_CACHE_HOME=str(here / "cache"), XDG_RUNTIME_DIR=str(run), XDG_STATE_HOME=str(here / "state"),
                    XDG_CONFIG_HOME=str(here / "config"), **more)

    def lacuna(self, *arguments, on=("--on", "box"), timeout=120, **more):
        return subprocess.run([LACUNA, *on, *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
                              env=self.environment(), cwd=self.folder / "here", **more)

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(10)
        if self.proxy:
            self.proxy.close()
        self.end_programs()
        shutil.rmtree(self.folder, ignore_errors=True)

    def end_programs(self):
        """Kills what still runs on the machine: a program that is recorded there goes on without its window."""
        home = f"HOME={self.home}".encode()
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if home in (process / "environ").read_bytes().split(b"\0"):
                    os.kill(int(process.name), signal.SIGKILL)


class Proxy:
    """Between client and server: passes bytes on, at most so many a second over all connections, so many seconds later;
    can be cut."""

    def __init__(self, port):
        self.target = port
        self.bytes_a_second = 0  # 0: as fast as they come
        self.delay = 0.0
        self.cut_after = None  # bytes towards the client, then it is cut, once
        self.refuses = False
        self.link = threading.Lock()
        self.passed = 0
        self.connections = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.open = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if self.refuses:
                client.close()
                continue
            self.connections += 1
            try:
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                client.close()
                continue
            self.open += [client, server]
            threading.Thread(target=self.carry, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self.carry, args=(server, client, True), daemon=True).start()

    def carry(self, source, sink, is_to_client):
        queue = []  # (when, bytes), for the delay
        ready = threading.Condition()

        def pour():
            while True:
                with ready:
                    ready.wait_for(lambda: queue)
                    when, chunk = queue.pop(0)
                if not chunk:
                    break
                time.sleep(max(0, when - time.monotonic()))
                try:
                    sink.sendall(chunk)
                except OSError:
                    break
            for end in (source, sink):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

        threading.Thread(target=pour, daemon=True).start()
        while True:
            try:
                chunk = source.recv(16384)
            except OSError:
                chunk = b""
            if chunk and is_to_client:
                self.passed += len(chunk)
                if self.bytes_a_second:
                    with self.link:
                        time.sleep(len(chunk) / self.bytes_a_second)
                if self.cut_after is not None and self.passed >= self.cut_after:
                    self.cut_after = None
                    self.cut()
                    return
            with ready:
                queue.append((time.monotonic() + self.delay, chunk))
                ready.notify()
            if not chunk:
                return

    def cut(self):
        open_now, self.open = self.open, []
        for end in open_now:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()

    def close(self):
        self.listener.close()
        self.cut()
