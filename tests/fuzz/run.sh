#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run.sh FOLDER SECONDS: each fuzz target of FOLDER for so many seconds; what one finds is kept
# beside it. It continues with the corpus of earlier runs.
set -eu
folder=$1
seconds=$2
here=$(dirname "$0")
python3 "$here/seeds.py" "$folder/seeds"
cd "$folder"
failed=0
for parser in text_records mltable partition_format parquet_footer arrow_footer stretches; do
  mkdir -p "corpus/$parser" "seeds/$parser"
  if ! "./fuzz_$parser" -max_total_time="$seconds" -max_len=6000 -timeout=10 -rss_limit_mb=2048 \
    -verbosity=0 -artifact_prefix="found-$parser-" "corpus/$parser" "seeds/$parser" \
    >"$parser.log" 2>&1; then
    echo "fuzz $parser: FAILED; run $folder/fuzz_$parser with the file that is named below"
    tail -n 40 "$parser.log"
    failed=1
  fi
done
exit $failed
