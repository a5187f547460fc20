/** How a program that starts another program parses its own arguments. */
export interface Wrapper {
  /** Its options that take their value from the next word. */
  readonly valueOptions?: readonly string[];
  /** Words between its options and the program it starts. Default 0. */
  readonly operands?: number;
  /** Whether `NAME=value` words may precede the program. */
  readonly takesAssignments?: boolean;
}

const init: Wrapper = { valueOptions: ["-p", "-e", "-r", "--rewrite"] };
const none: Wrapper = {};

/** Programs that start the program named in their arguments, by file name. */
export const wrappers: Readonly<Record<string, Wrapper>> = {
  tini: init,
  "tini-static": init,
  "docker-init": init,
  "dumb-init": init,
  catatonit: init,
  env: { valueOptions: ["-u", "--unset", "-C", "--chdir"], takesAssignments: true },
  exec: { valueOptions: ["-a"] },
  command: none,
  builtin: none,
  nohup: none,
  setsid: none,
  time: none,
  unbuffer: none,
  nice: { valueOptions: ["-n", "--adjustment"] },
  ionice: { valueOptions: ["-c", "--class", "-n", "--classdata"] },
  timeout: { valueOptions: ["-s", "--signal", "-k", "--kill-after"], operands: 1 },
  stdbuf: { valueOptions: ["-i", "--input", "-o", "--output", "-e", "--error"] },
  chrt: { operands: 1 },
  taskset: { operands: 1 },
  numactl: {
    valueOptions: ["-N", "-m", "-C", "-i", "-p", "--cpunodebind", "--membind", "--physcpubind"],
  },
  gosu: { operands: 1 },
  "su-exec": { operands: 1 },
  sudo: { valueOptions: ["-u", "-g", "--user", "--group"], takesAssignments: true },
  setpriv: { valueOptions: ["--reuid", "--regid", "--groups"] },
  uv: { operands: 1 },
  poetry: { operands: 1 },
  xargs: { valueOptions: ["-n", "-L", "-P", "-I", "-d", "-a", "-s", "-E"] },
  "nvidia_entrypoint.sh": none,
  "trtllm-llmapi-launch": none,
  mpirun: {
    valueOptions: ["-n", "-np", "-N", "-x", "-H", "--host", "--hostfile", "-hostfile", "--map-by"],
  },
  nsys: { valueOptions: ["-o", "-t", "--output", "--trace"], operands: 1 },
};

export const fileName = (program: string): string => program.slice(program.lastIndexOf("/") + 1);

export const isShell = (program: string): boolean =>
  /^(ba|da|a|z|k|mk)?sh$/.test(fileName(program));

export const isPython = (program: string): boolean =>
  /^(pypy|python)[\d.]*$/.test(fileName(program));
