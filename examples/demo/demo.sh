#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A job that survives everything: ./dev demo
#
# 10,000 pictures of digits, one of them damaged, go through score.py twice: once undisturbed, once
# with a worker and then the whole engine killed by -9. The two results must be the same file.
# Everything is in build/demo, or in WINDROW_DEMO_DIR. Needs only python3.
set -eu
exec 2>&1  # one stream, so that a log keeps the order
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
engine=${WINDROW:-$root/build/release/windrow}
folder=${WINDROW_DEMO_DIR:-$root/build/demo}
files=10000
batches=1000 # ten files each, as by default
bad=digit-04711.pgm

step() { printf '\n== %s\n' "$*"; }

# The command is shown as one would type it in this folder.
run() {
  printf '$ windrow'
  printf ' %s' "$@"
  printf '\n'
  "$engine" "$@"
}

[ -x "$engine" ] || {
  echo "demo: there is no $engine; ./dev demo builds it" >&2
  exit 2
}
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
cp "$here/score.py" "$here/model.json" .
export WINDROW_HOME="$folder"  # nothing outside this folder is touched

step "10,000 pictures of digits and a network that reads them; one file is damaged"
python3 "$here/make_images.py" images "$files" 1
head -c 30 "images/$bad" >cut && mv cut "images/$bad"
echo "images/ is made; $bad is cut to 30 bytes"

step "1. The undisturbed run"
run run score.py --input images --workers 2 --output calm --name calm

step "2. The same job again; now a worker is killed, then the engine"
again="run score.py --input images --workers 2 --output rough --name rough"
echo "\$ windrow $again"
python3 "$here/disturb.py" jobs/rough "$batches" "$engine" $again

step "3. The same command again: it resumes where it stopped"
run $again

step "Is it right?"
cmp calm/parallel_run_step.txt rough/parallel_run_step.txt
echo "identical to the undisturbed run: $(wc -l <rough/parallel_run_step.txt) rows, byte for byte"
python3 "$here/judge.py" images.labels rough/parallel_run_step.txt

step "The first rows: file, digit, how sure"
head -n 5 rough/parallel_run_step.txt

step "The dead letters"
python3 "$here/dead_letters.py" jobs/rough/logs/failed_items.jsonl "$bad"

step "Where everything is"
cat <<END
in $folder
  rough/parallel_run_step.txt          the result
  jobs/rough/logs/failed_items.jsonl   the dead letters
  jobs/rough/logs/user/stdout/0/       what the script printed, by process
  jobs/rough/logs/sys/job_report/      every attempt, as CSV

Now your own: a Python file with run(mini_batch), which gets a list of paths
and returns a row for each.
  $root/windrow run YOUR_SCRIPT.py --input YOUR_FOLDER
END
