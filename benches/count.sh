#!/bin/sh
# Instructions of what must not creep, by callgrind, printed as markdown beside what each is compared with and beside
# what was recorded:
#
#   benches/count.sh [NAME..]     counts; ends with 1 where one is more than its tolerance above the record
#   benches/count.sh record       counts all, says what has changed, and writes the record, benches/counts.txt
#
# Each scenario is done a few and many times, and the difference is divided: what a process does once is not in it. Only
# the first thread counts, so a server on another is not in it either. The record holds for the compiler in its first
# line; with another the counts are printed and not judged. Without valgrind there is nothing to do, which is no failure.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
record=$root/benches/counts.txt
# Percent above the record: of what is alone in its process, and of what is on a network, where reads come as they come.
own=2
network=8

command -v valgrind > /dev/null || {
    echo 'no valgrind: instructions are not counted'
    exit 0
}
target=${CARGO_TARGET_DIR:-$root/target}
(cd "$root" && cargo build --release --quiet -p agent-benches --bin count)
count=$target/release/count
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

# Instructions of the first thread.
instructions() {
    rm -f "$work"/out*
    valgrind --tool=callgrind --separate-threads=yes --callgrind-out-file="$work/out" "$count" "$1" "$2" > "$work/log" 2>&1 || {
        cat "$work/log" >&2
        exit 1
    }
    sed -n 's/^totals: \([0-9]*\).*/\1/p' "$work/out-01"
}

compiler=$(rustc --version)
known=$(sed -n '1s/^# //p' "$record" 2> /dev/null || true)
[ "${1:-}" = record ] && { mode=record; shift; } || mode=compare
failed=0
{
    "$count" list | while read -r name beside kind; do
        [ $# = 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
        few=20 many=120
        [ "$kind" = network ] && few=3 many=13
        a=$(instructions "$name" $few)
        b=$(instructions "$name" $many)
        echo "$name $beside $kind $(((b - a) / (many - few)))"
    done
} > "$work/counted"

# As it was, since a new one is like what it is made of. Who writes one has judged.
cat "$record" > "$work/recorded" 2> /dev/null || true
judged=0
[ $mode = compare ] && [ "$known" = "$compiler" ] && judged=1
[ $mode = compare ] || { echo "# $compiler"; awk '{ print $1, $4 }' "$work/counted"; } > "$record"
awk -v own=$own -v network=$network -v judged=$judged '
    FILENAME != ARGV[2] { if ($1 != "#") recorded[$1] = $2; next }
    FNR == 1 {
        print "| scenario | instructions | beside | ratio | recorded | change |"
        print "| --- | ---: | --- | ---: | ---: | ---: |"
    }
    {
        seen[$1] = $4
        ratio = ($2 in seen) ? sprintf("%.2f", $4 / seen[$2]) : ""
        change = ""
        if ($1 in recorded) {
            percent = ($4 - recorded[$1]) * 100 / recorded[$1]
            change = sprintf("%+.1f %%", percent)
            if (judged && percent > ($3 == "network" ? network : own)) { change = change " **too much**"; failed = 1 }
        }
        printf "| `%s` | %d | %s | %s | %s | %s |\n", $1, $4, ($2 == "-" ? "" : "`" $2 "`"), ratio, recorded[$1], change
    }
    END { exit failed }
' "$work/recorded" "$work/counted" || failed=1
[ "$known" = "$compiler" ] || echo "(the record is of another compiler: ${known:-none}; not judged)"
exit $failed
