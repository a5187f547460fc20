import type { CommandLine } from "../command-line/started-programs.ts";
import type { Arguments } from "../options/arguments.ts";
import type { EngineName } from "./engine.ts";

/** How the pods of a replica form one engine. */
export interface Executor {
  /** Its description, for docs/gangs.md. */
  readonly title: string;
  /** The engine whose groups it forms; undefined if the commands of the template form them. */
  readonly engine: EngineName | undefined;
  /** How the plan changes the template's engine; undefined if it does not change the commands. */
  readonly bootstrap: Bootstrap | undefined;
  /** The additions of the plan to the template, for docs/gangs.md. */
  readonly adds: string;
}

/** Turns the pods of a replica into one engine. */
export interface Bootstrap {
  readonly groupPort: GroupPort;
  /** Returns the engine of the leader, which serves requests. */
  leader<Container extends CommandLine>(
    engine: Container,
    nodeCount: number,
    args: Arguments,
  ): Container;
  /** Returns the engine of a worker, which serves no requests. */
  worker<Container extends CommandLine>(
    engine: Container,
    nodeCount: number,
    args: Arguments,
  ): Container;
  /** The engine that the leader starts if the template has no command and its image is unknown. */
  readonly engineWithoutCommand: EngineName | undefined;
  /** Flags that the plan sets for each pod: a template that sets one of them contradicts the plan. */
  readonly ownFlags: readonly string[];
  /** Flags that a template may set to this value, and to no other. */
  readonly fixedFlags: Readonly<Record<string, string>>;
}

/** The leader's port on which the pods of a replica connect. */
export interface GroupPort {
  /** Its name in the container's `ports`. */
  readonly name: string;
  readonly port: number;
  /** The program that listens on it, as a clause. */
  readonly user: string;
  /** Returns the group's port in a container's command; undefined if the command does not form groups in this way. */
  writtenBy(container: CommandLine, args: Arguments): string | undefined;
}
