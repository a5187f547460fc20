import {
  type Assignment,
  type Command,
  type CompoundList,
  type For,
  forEachChild,
  type If,
  parse,
  type Select,
  type Statement,
  type SyntaxNode,
  type Word as SyntaxWord,
} from "unbash";
import type { Value } from "./environment.ts";
import { launchOf, type Program, unknownProgram } from "./launch.ts";
import { inputOf, outputFilesOf, outputOf, pathOf, wordsFromInput } from "./shell-text.ts";
import { expandedWords, textOfWord } from "./shell-words.ts";
import { textOf, type Word } from "./words.ts";

/** The variables and arguments that a script has when it starts. */
export interface Scope {
  readonly values: ReadonlyMap<string, Value>;
  /** Whether the container may set more variables than `values` has. */
  readonly mayHaveMore: boolean;
  /** `$1`, `$2` and so on. */
  readonly positional: readonly Word[];
  /** Number of scripts around this one. */
  readonly depth: number;
  /** Texts of the files that the script writes, by path. */
  readonly files: Map<string, string>;
  /** Standard input; undefined if the template does not contain it. */
  readonly input: string | undefined;
}

/** Scripts nested deeper than this are not parsed: a function may call itself. */
const deepest = 16;

/** Returns the programs that a list of words starts: one, or all programs of its script. */
export function programsOf(words: readonly Word[], scope: Scope): Program[] {
  const launch = launchOf(words);
  if (launch === undefined) return [];
  if ("positional" in launch) {
    const inner = { ...scope, positional: launch.positional };
    if ("script" in launch) return programsOfScript(launch.script, inner);
    if ("file" in launch) return programsOfFile(launch.file, inner) ?? [unknownProgram];
    const { input } = scope;
    return input === undefined ? [unknownProgram] : programsOfScript(input, inner);
  }
  const { name, args } = launch;
  const written = name && programsOfFile(name, { ...scope, positional: args });
  return written || [launch];
}

/** Returns the programs of a script that an earlier command wrote into a file; undefined for any other file. */
function programsOfFile(file: string, scope: Scope): Program[] | undefined {
  const path = pathOf(file);
  const script = scope.files.get(path);
  if (script === undefined) return undefined;
  // A file may start itself.
  scope.files.delete(path);
  const programs = programsOfScript(script, { ...scope, input: undefined });
  scope.files.set(path, script);
  return programs;
}

/**
 * Returns the programs that a shell script starts, in order, without builtins that only change variables. Both
 * branches of a condition count, because the container decides which one runs.
 */
function programsOfScript(script: string, scope: Scope): Program[] {
  if (scope.depth > deepest) return [{ name: undefined, args: [] }];
  const run = new ScriptRun(scope);
  run.statements(parse(script).commands);
  return run.programs;
}

/** Builtins that set variables from their arguments. */
const declarations = new Set(["export", "declare", "local", "readonly", "typeset"]);

/** Commands that are used as tests, so that `test && X=1` may leave X unchanged. */
const tests = new Set(["[", "[[", "test", "grep", "command", "which", "pgrep"]);

class ScriptRun {
  readonly programs: Program[] = [];
  readonly #functions = new Map<string, SyntaxNode>();
  #values: Map<string, Value>;
  #positional: readonly Word[];
  readonly #scope: Scope;
  /** Output of the previous command of a pipeline. */
  #piped: string | undefined;

  constructor(scope: Scope) {
    this.#scope = scope;
    this.#values = new Map(scope.values);
    this.#positional = scope.positional;
  }

  statements(list: readonly Statement[]): void {
    for (const { command } of list) this.#node(command);
  }

  #list = ({ commands }: CompoundList) => this.statements(commands);

  #node(node: SyntaxNode): void {
    if (node.type === "Command") this.#command(node);
    else if (node.type === "CompoundList") this.#list(node);
    else if (node.type === "AndOr") this.#andOr(node.commands, node.operators);
    else if (node.type === "Subshell") this.#inSubshell(() => this.#list(node.body));
    else if (node.type === "Function") this.#functions.set(node.name.value, node.body);
    else if (node.type === "If") this.#if(node);
    else if (node.type === "Case") this.#maybe(...node.items.map(({ body }) => body));
    else if (node.type === "For" || node.type === "Select") this.#for(node);
    else if (node.type === "ArithmeticFor") this.#maybe(node.body);
    else if (node.type === "While") {
      this.#list(node.clause);
      this.#maybe(node.body);
    } else if (node.type === "Pipeline") {
      // Each command of a pipeline runs in a shell of its own.
      for (const command of node.commands) this.#inSubshell(() => this.#node(command));
      this.#piped = undefined;
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

  #for({ name, wordlist, body }: For | Select): void {
    const words = wordlist?.flatMap((word) => this.#expand(word)) ?? this.#positional;
    this.#values.set(name.value, words.length === 1 ? textOf(words[0]) : undefined);
    this.#maybe(body);
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
    const before = [new Map(this.#values), this.#positional] as const;
    run();
    [this.#values, this.#positional] = [before[0], before[1]];
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
    const input = inputOf(command.redirects, this.#inner()) ?? this.#piped;
    this.#piped = undefined;
    if (program === undefined) {
      this.#start(words, input);
      return;
    }
    if (!this.#builtin(program, command, args))
      this.#start([...words, ...wordsFromInput(program, input)], input);
    const output = outputOf(program, args, input);
    for (const file of outputFilesOf(command, program, args, this.#inner())) {
      const { files } = this.#scope;
      // Both branches of a condition may write a file, so that all texts count.
      if (output !== undefined) files.set(file, `${files.get(file) ?? ""}${output}`);
    }
    this.#piped = output;
  }

  /** Runs a builtin or a function of the script; returns whether the name is one. */
  #builtin(name: string, { args: parts }: Command, args: readonly Word[]): boolean {
    const body = this.#functions.get(name);
    if (body !== undefined) {
      this.#functions.delete(name);
      const positional = this.#positional;
      this.#positional = args;
      this.#node(body);
      this.#positional = positional;
      this.#functions.set(name, body);
    } else if (declarations.has(name)) {
      for (const part of parts) if (part.type === "Assignment") this.#assign(part);
    } else if (name === "set") {
      const end = args.findIndex(({ text }) => text === "--");
      if (end >= 0) this.#positional = args.slice(end + 1);
    } else if (name === "shift") {
      this.#positional = this.#positional.slice(Number(args[0]?.text ?? 1));
    } else if (name === "unset" || name === "read") {
      for (const { text } of args) this.#values.set(text, undefined);
    } else if (name === "eval") {
      this.#script(args.map(({ text }) => text).join(" "));
    } else if (name === "." || name === "source") {
      return this.#source(args);
    } else return false;
    return true;
  }

  #script(script: string): void {
    this.programs.push(...programsOfScript(script, this.#inner()));
  }

  #start(words: readonly Word[], input: string | undefined): void {
    this.programs.push(...programsOf(words, { ...this.#inner(), input }));
  }

  /** Runs a file that the script wrote in this shell; returns whether there is one. */
  #source([file, ...args]: readonly Word[]): boolean {
    const path = pathOf(textOf(file) ?? "");
    const { files, depth } = this.#scope;
    const script = files.get(path);
    if (script === undefined || depth > deepest) return false;
    files.delete(path);
    const positional = this.#positional;
    if (args.length > 0) this.#positional = args;
    this.statements(parse(script).commands);
    this.#positional = positional;
    files.set(path, script);
    return true;
  }

  #inner = (): Scope => ({
    ...this.#scope,
    values: this.#values,
    positional: this.#positional,
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
