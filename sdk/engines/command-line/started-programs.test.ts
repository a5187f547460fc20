// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are scripts of a shell
import { expect, it } from "vitest";
import { type CommandLine, startedBy } from "./started-programs.ts";

/** One line per program: its words, with `?` before an unknown word and `*` after a word that may be several. */
const programsOf = (container: CommandLine): string[] =>
  startedBy(container).programs.map(({ name, args }) =>
    [
      name ?? "?",
      ...args.map(
        ({ text, isKnown, mayBeSeveral }) =>
          `${isKnown ? "" : "?"}${text}${mayBeSeveral ? "*" : ""}`,
      ),
    ].join(" "),
  );

const sh = (script: string, ...args: string[]) => ({ command: ["sh", "-c", script], args });
const env = (values: Record<string, string>) =>
  Object.entries(values).map(([name, value]) => ({ name, value }));
const output = { __pulumiOutput: true };

it.each<[what: string, container: CommandLine, programs: string[]]>([
  ["exec form", { command: ["vllm", "serve"], args: ["M"] }, ["vllm serve M"]],
  ["arguments for the image's entrypoint", { args: ["--port", "1"] }, ["? --port 1"]],
  ["a program in the arguments", { args: ["vllm", "serve", "M"] }, ["vllm serve M"]],
  ["a module of Python", { command: ["python3", "-um", "a.b", "--x"] }, ["a.b --x"]],
  [
    "Python with options",
    { command: ["/usr/bin/python3.12", "-X", "dev", "a.py", "1"] },
    ["a.py 1"],
  ],
  ["inline Python", { command: ["python", "-c", "import x"] }, ["?"]],
  ["tini", { command: ["/sbin/tini", "-g", "--", "vllm", "serve"] }, ["vllm serve"]],
  ["dumb-init", { command: ["dumb-init", "-r", "15:2", "vllm"], args: ["serve"] }, ["vllm serve"]],
  ["env", { command: ["env", "-u", "A", "B=1", "vllm", "serve"] }, ["vllm serve"]],
  [
    "several wrappers",
    { command: ["nice", "-n", "5", "timeout", "-k", "5", "60", "vllm"] },
    ["vllm"],
  ],
  ["numactl", { command: ["numactl", "--membind=0", "-C", "0-7", "vllm"] }, ["vllm"]],
  [
    "mpirun",
    { command: ["mpirun", "-n", "16", "trtllm-llmapi-launch", "trtllm-serve", "M"] },
    ["trtllm-serve M"],
  ],
  ["a shell around a wrapper", sh("exec nice vllm serve M"), ["vllm serve M"]],
  [
    "a wrapper around a shell",
    { command: ["tini", "--", "bash", "-lc", "vllm serve M"] },
    ["vllm serve M"],
  ],
  ["shell options", { command: ["bash", "-euo", "pipefail", "-c", "vllm serve"] }, ["vllm serve"]],
  [
    "a script behind the end of the shell's options",
    { command: ["/bin/bash", "-lc", "--"], args: ["$RAY_START; vllm serve M", "name"] },
    ["?", "vllm serve M"],
  ],
  [
    "a script behind further options",
    { command: ["bash", "-c", "-e", "+x", "--login", "-o", "pipefail", "vllm serve M"] },
    ["vllm serve M"],
  ],
  ["a nested shell", sh("bash -c 'vllm serve M' && echo"), ["vllm serve M", "echo"]],
  ["a script file", { command: ["bash", "/start.sh", "--port", "1"] }, ["?"]],
  [
    "a list",
    sh("ray start --head --port=6379 && vllm serve M; wait"),
    ["ray start --head --port=6379", "vllm serve M", "wait"],
  ],
  [
    "a pipeline and redirections",
    sh("vllm serve M 2>&1 | tee /log &"),
    ["vllm serve M", "tee /log"],
  ],
  ["comments and continued lines", sh("# a\nvllm serve \\\n  M # b"), ["vllm serve M"]],
  [
    "quotes",
    sh(`vllm 'a "b' "c 'd" e\\ f '{"x": 1}' "{\\"y\\": 2}"`),
    [`vllm a "b c 'd e f {"x": 1} {"y": 2}`],
  ],
  ["JSON without quotes", sh('vllm {"a":1,"b":2}'), ["vllm {a:1,b:2}"]],
  [
    "arguments of a script",
    sh('vllm serve "$@" --x $1', "name", "M", "-tp"),
    ["vllm serve M -tp --x M"],
  ],
  ["a function", sh("ray stop\nrun() { vllm serve $1; }\nrun M"), ["ray stop", "?"]],
  ["eval", sh("X='vllm serve'; eval \"$X M\"; vllm a"), ["?"]],
  ["shift", sh("shift; vllm $1", "name", "M", "N"), ["?"]],
  ["set with words", sh("set -e -- M; vllm $1"), ["?"]],
  ["set with words only", sh("set M; vllm $1"), ["?"]],
  ["set with options", sh("set -eux -o pipefail; vllm a"), ["vllm a"]],
  ["a variable of the script", sh("P=1; vllm --port $P"), ["vllm --port 1"]],
  ["an exported one", sh("export P=1 && vllm --port=$P"), ["vllm --port=1"]],
  [
    "a variable of a condition",
    sh("P=1; if x; then P=2; fi; vllm --port $P"),
    ["x", "vllm --port ?$P*"],
  ],
  ["a default after a test", sh('[ -z "$P" ] || P=3; vllm $P'), ["[ -z ?$P ]", "vllm ?$P*"]],
  [
    "both sides of a condition",
    sh("if x; then vllm a; else vllm b; fi"),
    ["x", "vllm a", "vllm b"],
  ],
  ["a case", sh("case $X in 0) vllm a;; *) vllm b;; esac"), ["vllm a", "vllm b"]],
  [
    "a loop",
    sh("while true; do vllm a; done; for i in 1 2; do vllm $i; done; vllm b"),
    ["true", "vllm a", "?"],
  ],
  ["arithmetic", sh("vllm --port $((8000 + 1))"), ["vllm --port ?$((8000 + 1))*"]],
  ["a command substitution", sh("vllm --host $(hostname -i)"), ["vllm --host ?$(hostname -i)*"]],
  [
    "a variable of the template",
    { ...sh("vllm --port $P"), env: env({ P: "1" }) },
    ["vllm --port 1"],
  ],
  [
    "options in a variable",
    { ...sh("vllm $A"), env: env({ A: "--port 1  -tp 2" }) },
    ["vllm --port 1 -tp 2"],
  ],
  ["a quoted variable", { ...sh('vllm "$A"'), env: env({ A: "b c" }) }, ["vllm b c"]],
  ["chained variables", { args: ["--x", "$(B)"], env: env({ A: "1", B: "$(A)2" }) }, ["? --x 12"]],
  [
    "a reference of Kubernetes in a script",
    { ...sh("vllm $(P)"), env: env({ P: "1" }) },
    ["vllm 1"],
  ],
  ["an escaped reference", { args: ["$$(P)"], env: env({ P: "1" }) }, ["? $(P)"]],
  ["a reference without a value", { args: ["$(LWS_WORKER_INDEX)"] }, ["? ?$(LWS_WORKER_INDEX)"]],
  ["a default of the shell", sh("vllm ${P:-1} ${Q-2} ${R:+3}"), ["vllm 1 2"]],
  ["a default that is not used", { ...sh("vllm ${P:-1}"), env: env({ P: "2" }) }, ["vllm 2"]],
  [
    "a default with other sources",
    { ...sh("vllm ${P:-1}"), envFrom: [{ secretRef: {} }] },
    ["vllm ?${P:-1}*"],
  ],
  ["a value from a Secret", { args: ["$(P)"], env: [{ name: "P", valueFrom: {} }] }, ["? ?$(P)"]],
  [
    "an Output as a word",
    { command: ["vllm", "serve"], args: ["--port", output] },
    ["vllm serve --port ?"],
  ],
  ["an Output as all arguments", { command: ["vllm"], args: output }, ["vllm ?*"]],
  ["an Output as the script", { command: ["sh", "-c", output] }, ["? ?*"]],
  ["a script that does not parse", sh("if then vllm"), ["vllm"]],
  [
    "tabs, continued lines and blank lines",
    sh("\n\tvllm\t \\\n\t  serve \\\n\n  M\t--port\t\\\n1\n"),
    ["vllm serve", "M --port 1"],
  ],
  ["a continued line within a word", sh("vllm ser\\\nve --po\\\nrt 1"), ["vllm serve --port 1"]],
  [
    "tabs and newlines in a variable",
    { ...sh("vllm $A"), env: env({ A: "\t--port\n1 \n\t-tp\t2\n" }) },
    ["vllm --port 1 -tp 2"],
  ],
  ["a here-document for a shell", sh("sh <<EOF\nvllm serve M\nEOF\necho"), ["?", "echo"]],
  ["a string piped into a shell", sh('echo "vllm serve M" | sh -x -'), ["echo vllm serve M", "?"]],
  [
    "a file that the script writes",
    sh("cat > /tmp/run.sh <<'EOF'\nvllm serve $1\nEOF\nexec sh -e /tmp/run.sh M"),
    ["cat", "?"],
  ],
  [
    "variables of a file that the script writes",
    { ...sh("cat <<EOF | tee /etc/e\nA=2\nEOF\n. /etc/e; vllm $A"), env: env({ A: "1" }) },
    ["cat", "tee /etc/e", "?"],
  ],
  [
    "variables of a file of the image",
    { ...sh(". /etc/e; vllm $A"), env: env({ A: "1" }) },
    [". /etc/e", "vllm 1"],
  ],
  ["a shell that reads a file of the image", sh("sh < /start.sh"), ["?"]],
  ["a shell that reads the output of a program", sh("curl x | sh"), ["curl x", "?"]],
  [
    "a here-document with the options of a program",
    sh("xargs vllm <<EOF\n--port 1\nEOF"),
    ["vllm ?*"],
  ],
])("startedBy reads %s", (_, container, programs) => {
  expect(programsOf(container)).toEqual(programs);
});
