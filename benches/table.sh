#!/bin/sh
# Runs the benchmarks and prints them as markdown: the least time of each row and its ratio to the first of its group.
#
#   benches/table.sh [FILTER]
#
# The least of many is what other work on the machine changes least. TABLE_LOG keeps what divan printed, or is read where
# it is there.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
log=${TABLE_LOG:-$(mktemp)}
[ -s "$log" ] || (cd "$root" && cargo bench --quiet -p agent-benches --bench cost -- --color never "$@") > "$log"
# divan draws a tree: group, row, size. Numbers are in the columns fastest, slowest, median, mean.
sed 's/│/|/g; s/├─/+/g; s/╰─/+/g; s/µs/us/g' "$log" | awk '
    function nanoseconds(number, unit) {
        return number * (unit == "ps" ? 1e-3 : unit == "ns" ? 1 : unit == "us" ? 1e3 : unit == "ms" ? 1e6 : 1e9)
    }
    function time(ns) {
        return ns < 1e3 ? sprintf("%.0f ns", ns) : ns < 1e6 ? sprintf("%.1f µs", ns / 1e3) : sprintf("%.1f ms", ns / 1e6)
    }
    function words(name) { sub(/^[a-z]_/, "", name); gsub(/_/, " ", name); return name }
    # Group and row have no numbers of their own.
    /^[+] / { group = $2; order[++groups] = group; next }
    /^[| ]  [+] [a-z]_/ { row = $0; sub(/^[| ]  [+] /, "", row); sub(/ .*/, "", row); rowof[group, ++count[group]] = row; next }
    /^[| ]  [| ]  [+] [0-9]+ / {
        line = $0
        sub(/^[| ]  [| ]  [+] /, "", line)
        split(line, word, " ")
        size = word[1]
        if (!((group, size) in known)) { known[group, size] = 1; sizeof[group, ++sizecount[group]] = size }
        least[group, row, size] = nanoseconds(word[2], word[3])
    }
    END {
        for (g = 1; g <= groups; g++) {
            group = order[g]
            title = group; sub(/_by_.*/, "", title)
            unit = group; sub(/.*_by_/, "", unit)
            printf "%s| %s, by %s |", (g > 1 ? "\n" : ""), title, unit
            for (s = 1; s <= sizecount[group]; s++) printf " %s |", sizeof[group, s]
            printf "\n| --- |"
            for (s = 1; s <= sizecount[group]; s++) printf " ---: |"
            printf "\n"
            first = rowof[group, 1]
            for (r = 1; r <= count[group]; r++) {
                row = rowof[group, r]
                printf "| %s |", words(row)
                for (s = 1; s <= sizecount[group]; s++) {
                    size = sizeof[group, s]
                    ns = least[group, row, size]
                    if (r == 1) printf " %s |", time(ns)
                    else printf " %.2f (%s) |", ns / least[group, first, size], time(ns)
                }
                printf "\n"
            }
        }
    }
'
