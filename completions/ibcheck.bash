# SPDX-License-Identifier: BSD-2-Clause
# bash completion for ibcheck: the program itself knows what may follow.
_ibcheck()
{
	local line=${COMP_LINE:0:COMP_POINT} words word reply

	# not COMP_WORDS: there, "=" and ":" end a word
	read -ra words <<<"${line#*"$1"}"
	[[ $line != *[[:space:]] ]] || words+=("")
	word=${words[-1]}
	COMPREPLY=()
	while IFS=$'\t' read -r reply _; do
		case $reply in
		:files | :dirs)
			compopt -o filenames 2>/dev/null
			mapfile -O "${#COMPREPLY[@]}" -t COMPREPLY \
				< <(compgen -"${reply:1:1}" -- "${word#--*=}")
			;;
		*) COMPREPLY+=("$reply") ;;
		esac
	done < <("$1" __complete "${words[@]}" 2>/dev/null)
	[[ ${COMPREPLY[*]} != *: ]] || compopt -o nospace 2>/dev/null
	# readline replaces only what follows the last "=" or ":"
	COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*[=:]}"}"}")
}
complete -F _ibcheck ibcheck
