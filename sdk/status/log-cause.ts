/** Maximum length of a cause, in characters: a controller keeps one for each failing pod. */
const maxLength = 600;

/** Joins the lines of a string, and shortens it. */
export function shortLine(text: string): string {
  const line = text
    .trim()
    .replaceAll(/\s*\n\s*/g, "; ")
    .replaceAll(/([:;]); /g, "$1 ");
  return line.length > maxLength ? `${line.slice(0, maxLength - 3)}...` : line;
}

/** Prefixes of a log line: terminal colours, vLLM's process, and the level, time and source of vLLM and SGLang. */
const prefixes = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours start with ESC
  /\u001b\[[\d;]*m/g,
  /^\([\w-]+(?: [\w=]+)*? pid=\d+\) ?/,
  /^(?:ERROR|CRITICAL) [\d-]+ [\d:.]+ \[[^\]]*\] ?/,
  /^\[[\d-]+ [\d:.]+[^\]]*\] ?/,
];

/** First line of a Python exception, such as `torch.OutOfMemoryError: CUDA out of memory.` */
const exception = /^(?:[A-Za-z_]\w*\.)*(?:[A-Z]\w*)?(?:Error|Exception)(?:: |$)/;

/** Lines between an exception and another one that it caused. */
const chained = /^(?:The above exception was|During handling of the above exception)/;

/** Other lines that contain a cause: of argparse, of glibc and of Python's interpreter. */
const otherCause = /^[\w.-]+( \w+)?: error: |^terminate called|^Fatal Python error: /;

/** Returns the cause in a log or a termination message, which may be the end of a log: the exception or the last line. */
export function causeIn(log: string): string {
  const last = log.trim().split("\n").at(-1) ?? "";
  return exceptionIn(log) ?? shortLine(errorOfJson(last) ?? withoutPrefix(last));
}

/**
 * Returns the first exception in the log of an engine that caused no other one. The engine's other processes end later,
 * with exceptions that only refer to the first one.
 */
export function exceptionIn(log: string): string | undefined {
  const lines = log.split("\n").map(withoutPrefix);
  const at = lines.findIndex((line, index) => exception.test(line) && !isChained(lines, index));
  const found =
    at < 0
      ? lines.find((line) => otherCause.test(line))
      : [lines[at], ...detailsAfter(lines, at)].join("\n");
  return found && shortLine(found);
}

const withoutPrefix = (line: string): string =>
  prefixes.reduce((rest, prefix) => rest.replace(prefix, ""), line.trimEnd());

/** Returns the indented lines after an exception: pydantic's problems. */
function detailsAfter(lines: readonly string[], at: number): string[] {
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => !/^ {2,}\S/.test(line) || /^ {4}For further/.test(line));
  return end < 0 ? rest : rest.slice(0, end);
}

function isChained(lines: readonly string[], at: number): boolean {
  const next = lines.slice(at + 1).find((line) => line.trim() !== "" && !/^\s/.test(line));
  return next !== undefined && chained.test(next);
}

/** Returns the error in a log line of this project's programs; undefined for any other line. */
function errorOfJson(line: string): string | undefined {
  try {
    const { error } = JSON.parse(line) as { error?: unknown };
    return typeof error === "string" ? error : undefined;
  } catch {
    return undefined;
  }
}

/** Progress of vLLM and SGLang: `Loading safetensors checkpoint shards:  45% Completed | 9/20 [00:12<00:14, ...]`. */
const progress = /\bshards: +(\d+)% Completed/g;

/** Returns how much of a model was loaded at the end of a log, in percent; undefined if the log contains no progress. */
export function loadedPercentIn(log: string): number | undefined {
  const last = [...log.matchAll(progress)].at(-1)?.[1];
  return last === undefined ? undefined : Number(last);
}
