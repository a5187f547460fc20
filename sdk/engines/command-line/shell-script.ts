import {
  type Assignment,
  type Command,
  type CompoundList,
  forEachChild,
  type If,
  parse,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type Word as SyntaxWord,
} from "unbash";
import type { Value } from "./environment.ts";
import { launchOf, type Program, unknownProgram } from "./launch.ts";
import { expandedWords, textOfWord } from "./shell-words.ts";
import { textOf, unknown, type Word } from "./words.ts";
import { fileName } from "./wrappers.ts";

/** The variables and arguments that a script has when it starts. */
export interface Scope {
  readonly values: ReadonlyMap<string, Value>;
  /** Whether the container may set more variables than `values` has. */
  readonly mayHaveMore: boolean;
  /** `$1`, `$2` and so on. */
  readonly positional: readonly Word[];
  /** Number of scripts around this one. */
  readonly depth: number;
}

/** Scripts nested deeper than this are not parsed. */
const deepest = 16;

/** Returns the programs that a list of words starts: one, or all programs of its script. */
export function programsOf(words: readonly Word[], scope: Scope): Program[] {
  const launch = launchOf(words);
  if (launch === undefined) return [];
  if (!("script" in launch)) return [launch];
  return programsOfScript(launch.script, { ...scope, positional: launch.positional });
}

/**
 * Returns the programs that a shell script starts, in order, without builtins that only change variables. Both
 * branches of a condition count, because the container decides which one runs. Reading stops at functions, `for` loops
 * and commands that may change later words (`eval`, `shift`, `set --`, sourcing a file that the script wrote). The rest
 * counts as one unknown program.
 */
function programsOfScript(script: string, scope: Scope): Program[] {
  if (scope.depth > deepest) return [unknownProgram];
  const run = new ScriptRun(scope);
  run.statements(parse(script).commands);
  return run.programs;
}

/** Builtins that set variables from their arguments. */
const declarations = new Set(["export", "declare", "local", "readonly", "typeset"]);

/** Commands that are used as tests, so that `test && X=1` may leave X unchanged. */
const tests = new Set(["[", "[[", "test", "grep", "command", "which", "pgrep"]);

/** Statements that are not read. */
const unread: ReadonlySet<string> = new Set(["For", "Select", "ArithmeticFor", "Function"]);

class ScriptRun {
  readonly programs: Program[] = [];
  #values: Map<string, Value>;
  readonly #scope: Scope;
  /** Whether the rest of the script is not read. */
  #isOpen = false;
  /** Whether the script has written a file, which it may source. */
  #writesFiles = false;

  constructor(scope: Scope) {
    this.#scope = scope;
    this.#values = new Map(scope.values);
  }

  statements(list: readonly Statement[]): void {
    for (const { command } of list) this.#node(command);
  }

  #list = ({ commands }: CompoundList) => this.statements(commands);

  #node(node: SyntaxNode): void {
    if (this.#isOpen) return;
    if (node.type === "Command") this.#command(node);
    else if (node.type === "CompoundList") this.#list(node);
    else if (node.type === "AndOr") this.#andOr(node.commands, node.operators);
    else if (node.type === "Subshell") this.#inSubshell(() => this.#list(node.body));
    else if (node.type === "If") this.#if(node);
    else if (node.type === "Case") this.#maybe(...node.items.map(({ body }) => body));
    else if (unread.has(node.type)) this.#open();
    else if (node.type === "While") {
      this.#list(node.clause);
      this.#maybe(node.body);
    } else if (node.type === "Pipeline") {
      // Each command of a pipeline runs in a shell of its own.
      for (const command of node.commands) this.#inSubshell(() => this.#node(command));
    } else forEachChild(node, (child) => this.#node(child));
  }

  #if({ clause, then, elif, else: otherwise }: If): void {
    this.#list(clause);
    for (const { clause } of elif) this.#list(clause);
    this.#branches(
      [then, ...elif.map((branch) => branch.then), otherwise].map((list) => () => {
        if (list !== undefined) this.#list(list);
      }),
    );
  }

  #open(): void {
    this.#isOpen = true;
    this.programs.push(unknownProgram);
  }

  /** Runs lists of which the container may run one or none. */
  #maybe(...lists: readonly CompoundList[]): void {
    this.#branches([() => undefined, ...lists.map((list) => () => this.#list(list))]);
  }

  /**
   * The assignments of `a` are in effect in the `b` of `a && b`. Assignments after a test or after `||` may be
   * skipped.
   */
  #andOr(commands: readonly SyntaxNode[], operators: readonly string[]): void {
    const [first, ...rest] = commands;
    if (first === undefined) return;
    this.#node(first);
    const mayStop = operators.includes("||") || isTest(first);
    const run = () => {
      for (const command of rest) this.#node(command);
    };
    if (mayStop) this.#branches([() => undefined, run]);
    else run();
  }

  /** Runs each branch from the same variables. A variable that differs afterwards has an unknown value. */
  #branches(branches: ReadonlyArray<() => void>): void {
    const before = this.#values;
    const after = branches.map((branch) => {
      this.#values = new Map(before);
      branch();
      return this.#values;
    });
    const names = new Set(after.flatMap((values) => [...values.keys()]));
    this.#values = new Map(
      [...names].map((name) => {
        const [first, ...others] = after;
        const isAgreed = others.every((values) => values.get(name) === first?.get(name));
        return [name, isAgreed ? first?.get(name) : undefined];
      }),
    );
  }

  #inSubshell(run: () => void): void {
    const before = new Map(this.#values);
    run();
    this.#values = before;
  }

  #command(command: Command): void {
    const assignments = command.prefix.filter((part) => part.type === "Assignment");
    if (command.name === undefined) {
      for (const assignment of assignments) this.#assign(assignment);
      return;
    }
    const words = [
      ...this.#expand(command.name),
      ...command.args.flatMap((part) =>
        part.type === "Word" ? this.#expand(part) : this.#expandAssignment(part),
      ),
    ];
    const [name, ...args] = words;
    const program = textOf(name);
    if (program !== undefined && this.#builtin(program, command, args)) return;
    this.#writesFiles ||= program === "tee" || command.redirects.some(isOutput);
    // xargs adds words of its standard input.
    if (program !== undefined && fileName(program) === "xargs") words.push(unknown("", true));
    this.programs.push(...programsOf(words, this.#inner()));
  }

  /** Runs a builtin; returns whether the name is a builtin. */
  #builtin(name: string, { args: parts }: Command, args: readonly Word[]): boolean {
    if (declarations.has(name)) {
      for (const part of parts) if (part.type === "Assignment") this.#assign(part);
    } else if (name === "unset" || name === "read") {
      for (const { text } of args) this.#values.set(text, undefined);
    } else if (name === "eval" || name === "shift") {
      this.#open();
    } else if (name === "set") {
      if (setsWords(args)) this.#open();
    } else if ((name === "." || name === "source") && this.#writesFiles) {
      this.#open();
    } else return false;
    return true;
  }

  #inner = (): Scope => ({
    ...this.#scope,
    values: this.#values,
    depth: this.#scope.depth + 1,
  });

  #assign({ name, value, append, index }: Assignment): void {
    const isPlain = value.type === "Word" && !append && index === undefined;
    this.#values.set(name, isPlain ? textOf(textOfWord(value, this.#inner())) : undefined);
  }

  #expand = (word: SyntaxWord): Word[] => expandedWords(word, this.#inner());

  /** Treats `name=value` after a command that is not a declaration, as in `env A=1 vllm`, as an argument. */
  #expandAssignment({ name, value, text }: Assignment): Word[] {
    if (value.type !== "Word") return [{ written: text, text, isKnown: false, mayBeSeveral: true }];
    const word = textOfWord(value, this.#inner());
    return [{ ...word, written: text, text: `${name}=${word.text}` }];
  }
}

function isTest(node: SyntaxNode): boolean {
  if (node.type === "TestCommand" || node.type === "ArithmeticCommand") return true;
  return node.type === "Command" && tests.has(node.name?.value ?? "");
}

const isOutput = ({ type, operator }: Redirection) => type === "Redirect" && /^&?>/.test(operator);

/** Whether `set` changes `$1` and so on, because it has words besides its options. `-o` takes a name. */
const setsWords = (args: readonly Word[]): boolean =>
  args.some(({ text, isKnown }, at) => {
    const isName = /^[-+]\w*o$/.test(args[at - 1]?.text ?? "");
    return !isKnown || text === "--" || !(isName || /^[-+]/.test(text));
  });
