import { isMap } from "../../kubernetes/values/records.ts";

/** Names of variables with which a container loads code or gets devices, and the documentation of each. */
const codeVariables: ReadonlyArray<readonly [names: RegExp, source: string]> = [
  [/^(LD_|GLIBC_|GCONV_PATH$|LOCPATH$|NLSPATH$|MALLOC_CONF$)/, "ld.so(8), iconv(1), locale(7)"],
  [
    /^(PATH|ENV|BASH_ENV|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|PS4|IFS|CDPATH|PROMPT_COMMAND)$/,
    "bash(1)",
  ],
  [
    /^PYTHON(?!(UNBUFFERED|HASHSEED|DONTWRITEBYTECODE|FAULTHANDLER|IOENCODING|UTF8|MALLOC|NODEBUGRANGES|OPTIMIZE|SAFEPATH|NOUSERSITE|TRACEMALLOC|DEVMODE|ASYNCIODEBUG|GIL)$)/,
    "https://docs.python.org/3/using/cmdline.html#environment-variables",
  ],
  [/^(PIP_|UV_|VIRTUAL_ENV$|CONDA_)/, "https://pip.pypa.io/en/stable/topics/configuration/"],
  [/^(NODE_OPTIONS|NODE_PATH|NODE_REPL_EXTERNAL_MODULE)$/, "https://nodejs.org/api/cli.html"],
  [/^(JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH)$/, "java(1)"],
  [/^(PERL5?(LIB|OPT|DB)|PERL_.*|RUBYOPT|RUBYLIB|GEM_.*|BUNDLE_.*|LUA_.*)$/, "perlrun(1), ruby(1)"],
  [
    /^(GIT_|EDITOR$|VISUAL$|PAGER$|BROWSER$|OPENSSL_(CONF|MODULES|ENGINES)$)/,
    "git(1), openssl-env(7)",
  ],
  [/^(CC|CXX|CUDA_HOME|CUDA_PATH|CUDA_INJECTION(32|64)_PATH|NVCC_.*)$/, "CUPTI: injection"],
  [/^NCCL_([A-Z]+_)*PLUGIN$/, "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html"],
  [
    /^(NVIDIA_(VISIBLE_DEVICES|DRIVER_CAPABILITIES|MIG_.*|IMEX_.*)|ASCEND_VISIBLE_DEVICES|HABANA_VISIBLE_DEVICES)$/,
    "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html",
  ],
  [
    /^(DOTNET_STARTUP_HOOKS|CORECLR_.*|COR_.*|ROCM_PATH|HSA_TOOLS_LIB|OMPI_MCA_.*)$/,
    "dotnet, ROCr",
  ],
];

/** Whether a variable of this name makes a container load other code or get other devices. */
export const loadsCode = (variable: string): boolean =>
  codeVariables.some(([names]) => names.test(variable));

/** Directories from which images run programs, by the Filesystem Hierarchy Standard 3.0 and by images of engines. */
const programDirectories =
  /^\/((bin|boot|dev|etc|home|lib[^/]*|opt|proc|root|run|sbin|sys|usr|var|nix|app|workspace|vllm-workspace|sgl-workspace)(\/|$)|$)/;

/** Directories within them that contain data. */
const dataDirectories =
  /^\/(dev\/shm|root\/\.cache|home\/[^/]+\/\.cache|opt\/nim\/\.cache|var\/cache)(\/|$)/;

/**
 * Whether files at a path of a container are programs, or replace one that its command or working directory refers to.
 */
export function holdsPrograms(
  path: unknown,
  container: Readonly<Record<string, unknown>>,
): boolean {
  if (typeof path !== "string") return true;
  const at = resolved(path);
  if (programDirectories.test(at) && !dataDirectories.test(at)) return true;
  const { command, workingDir } = container;
  const run = [...(Array.isArray(command) ? command : []), workingDir].filter(
    (name) => typeof name === "string",
  );
  return run.some((name) => name.startsWith("/") && `${resolved(name)}/`.startsWith(`${at}/`));
}

/** An absolute path without dot segments. A mount path without a leading slash also starts at the root. */
function resolved(path: string): string {
  const steps: string[] = [];
  for (const step of path.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "" && step !== ".") steps.push(step);
  }
  return `/${steps.join("/")}`;
}

/** Whether the author of a volume chooses its content. */
export const hasContent = (volume: unknown): boolean =>
  isMap(volume) && volume.emptyDir === undefined;
