#!/bin/sh
# What a freshly installed lacuna must do: sh try.sh PROGRAM. Run inside the clean root.
set -e
lacuna=$1
"$lacuna" --version
"$lacuna" info /tmp/demo.trace.json.gz | head -n 5
"$lacuna" query /tmp/demo.trace.json.gz 'SELECT cause, COUNT(*) AS gaps FROM gap GROUP BY cause'
"$lacuna" record -o /tmp/python.json -q -- python3 -c 'print(sum(i * i for i in range(3000000)))'
"$lacuna" record -o /tmp/demo.json -q --duration 2
"$lacuna" stats /tmp/demo.json --limit 5
"$lacuna" screenshot /tmp/demo.trace.json.gz -o /tmp/picture.png --size 1200x700
head -c 8 /tmp/picture.png | od -An -c | grep -q 'P *N *G'
"$lacuna" web --idle-exit 1s /tmp/demo.trace.json.gz | grep -q 'http://127.0.0.1:.*token='
echo "$lacuna works"
