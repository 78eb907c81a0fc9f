# Completion of lacuna for bash: commands, options as --help lists them, files.
_lacuna() {
  local word=${COMP_WORDS[COMP_CWORD]} command='' i
  local commands='report gaps stats calls critical-path what-if roofline requests memory info kernel query web diff check job
    digest hang live record attach jobs request env recordings bundle notes export cut screenshot schema mcp
    doctor install-on serve'
  for ((i = 1; i < COMP_CWORD; i++)); do
    [ "${COMP_WORDS[i]}" = -- ] && { _command_offset $((i + 1)) 2>/dev/null; return; }
    [[ -z $command && ${COMP_WORDS[i]} != -* ]] && command=${COMP_WORDS[i]}
  done
  if [[ $word == -* ]]; then
    [[ " $(echo $commands) " == *" $command "* ]] || command=''
    local ask=(--help-all)
    [ -n "$command" ] && ask=("$command" --help)
    mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" "${ask[@]}" 2>/dev/null |
      sed '/^lacuna .*-----/,$d' | grep -oE '(^|[ ,])--[a-z][a-z-]*' | tr -d ' ,')" -- "$word")
    return
  fi
  [ "$COMP_CWORD" -eq 1 ] && mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word")
  compopt -o filenames 2>/dev/null
  mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
}
complete -F _lacuna lacuna
