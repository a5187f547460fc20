import { type CommandLine, startedBy } from "./command-line/started-programs.ts";
import type { Word } from "./command-line/words.ts";
import type { Engine, EngineName } from "./interface/engine.ts";
import { agreed } from "./options/agreed-arguments.ts";
import { type Arguments, readArguments, unknownSyntax } from "./options/arguments.ts";
import { sglang } from "./sglang/engine.ts";
import { tensorRtLlm } from "./tensorrt-llm/engine.ts";
import { vllm } from "./vllm/engine.ts";

/** The engines with known options. If an image matches several engines, the first engine is used. */
export const engines = {
  sglang,
  "tensorrt-llm": tensorRtLlm,
  vllm,
} as const satisfies Record<EngineName, Engine> & Record<string, Engine>;

const names = Object.keys(engines) as EngineName[];

/** The server that a container starts. */
export interface Server {
  /** Undefined for a program that is not a known engine. */
  readonly engine: EngineName | undefined;
  /** Whether the command names the engine, and not only the image. */
  readonly isByCommand: boolean;
  readonly args: Arguments;
}

const cache = new WeakMap<CommandLine, Server>();

/**
 * Returns the server that a container starts. If a script starts several engines, for example one for the leader and
 * one for workers, only the serving engines count, and a value is known only if they agree on it.
 */
export function serverOf(container: CommandLine): Server {
  const read = cache.get(container) ?? readServer(container);
  cache.set(container, read);
  return read;
}

function readServer(container: CommandLine): Server {
  const { programs, isByImage } = startedBy(container);
  if (isByImage) return serverOfImage(container, programs[0]?.args ?? []);
  const found = programs.flatMap((program) =>
    names.flatMap((engine) => {
      const words = engines[engine].serverArguments(program);
      return words === undefined ? [] : [{ engine, args: read(words, engine) }];
    }),
  );
  const serving = found.filter(({ args }) => args.written("--headless") !== "true");
  const [first, ...others] = serving.length > 0 ? serving : found;
  if (first !== undefined) {
    const alike = others.filter(({ engine }) => engine === first.engine);
    const isOneEngine = alike.length === others.length;
    return {
      engine: isOneEngine ? first.engine : undefined,
      isByCommand: true,
      args: agreed([first, ...others].map(({ args }) => args)),
    };
  }
  const [only, ...rest] = programs;
  // A script file may set arguments in addition to those that it receives.
  const mayAdd = only?.name === undefined || only.name.endsWith(".sh") || rest.length > 0;
  // The ports of Ray serve no model. Another program starts the server in its cluster.
  const words = rest.length > 0 || only?.name === "ray" ? [] : (only?.args ?? []);
  return {
    engine: undefined,
    isByCommand: false,
    args: readArguments(words, unknownSyntax, mayAdd),
  };
}

function serverOfImage({ image }: CommandLine, words: readonly Word[]): Server {
  const engine =
    typeof image === "string"
      ? names.find(
          (name) =>
            engines[name].image.test(repositoryOf(image)) &&
            (words.length > 0 || engines[name].startsWithoutArguments),
        )
      : undefined;
  if (engine === undefined)
    return { engine, isByCommand: false, args: readArguments(words, unknownSyntax) };
  const own = words[0]?.text === "serve" ? words.slice(1) : words;
  return { engine, isByCommand: false, args: read(own, engine) };
}

const repositoryOf = (image: string): string => image.replace(/[:@][^/]*$/, "");

const read = (words: readonly Word[], engine: EngineName): Arguments =>
  readArguments(words, engines[engine].syntax);

/** The engine that a container starts; undefined if the program is another one or unknown. */
export const engineNameOf = (container: CommandLine): EngineName | undefined =>
  serverOf(container).engine;

/** Whether a container starts its engine by a command, or with a published image of the engine. */
export function isOwnServer(container: CommandLine): boolean {
  const { engine, isByCommand, args } = serverOf(container);
  if (engine === undefined || args.isOpen) return false;
  const { releases }: Engine = engines[engine];
  return isByCommand || releases?.of(container.image) !== undefined;
}

/** The arguments of the server that a container starts. */
export const argumentsOf = (container: CommandLine): Arguments => serverOf(container).args;

/** Whether a container has a command, so that its image's entrypoint does not run. */
export const hasCommand = ({ command }: CommandLine): boolean =>
  ([command ?? []].flat() as unknown[]).length > 0;
