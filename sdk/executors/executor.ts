import type { CommandLine } from "../command-line/started-programs.ts";
import type { EngineName } from "../engines/index.ts";

/** How the pods of a replica form one engine. */
export interface Executor {
  /** What it is, for docs/gangs.md. */
  readonly title: string;
  /** The engine whose groups it forms; undefined if the template's own commands form them. */
  readonly engine: EngineName | undefined;
  /** How the plan changes the template's engine; undefined if it leaves the commands as they are. */
  readonly bootstrap: Bootstrap | undefined;
  /** What the plan adds to the template, for docs/gangs.md. */
  readonly adds: string;
}

/** What makes one engine of the pods of a replica. */
export interface Bootstrap {
  readonly groupPort: GroupPort;
  /** Returns the engine of the leader, which serves. */
  leader<Container extends CommandLine>(engine: Container, nodeCount: number): Container;
  /** Returns the engine of a worker, which serves nothing. */
  worker<Container extends CommandLine>(engine: Container, nodeCount: number): Container;
  /** The engine that the leader starts if the template has no command and its image is not known. */
  readonly engineWithoutCommand: EngineName | undefined;
  /** Flags that the plan sets for each pod: a template that sets one of them contradicts the plan. */
  readonly ownFlags: readonly string[];
  /** Flags that a template may set to this value, and to no other. */
  readonly fixedFlags: Readonly<Record<string, string>>;
}

/** The port of the leader on which the pods of a replica meet. */
export interface GroupPort {
  /** Its name among the ports of the container. */
  readonly name: string;
  readonly port: number;
  /** Who listens there, as a clause. */
  readonly user: string;
  /** Returns the port that a container's command lets a group meet on; undefined if it forms none in this way. */
  writtenBy(container: CommandLine): string | undefined;
}
