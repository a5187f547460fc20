# run.sh FOLDER NAME [ARGUMENT...] runs FOLDER/NAME.ts or FOLDER/NAME/main.ts, or the same without FOLDER. `npm run bench`
# and `npm run tool` call it.
folder=$1 name=${2:-}
for file in "$folder/$name.ts" "$folder/$name/main.ts" "$name.ts" "$name/main.ts"; do
  [ -n "$name" ] && [ -f "$file" ] || continue
  shift 2
  exec node --conditions=source "$file" "$@"
done
echo "no program ${name:-without a name}: give the name of a file or of a folder with main.ts, for example one of $folder:" >&2
ls "$folder" | grep -v -E '\.(fixture|test|js|sh|json)' >&2
exit 1
