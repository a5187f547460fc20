import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import ts from "typescript";

/**
 * Reduces a build's declarations to the exports of the package's entries, and writes out the types that they infer from
 * schemas. Programs that compile against the package then do not need zod's declarations, which require
 * `esModuleInterop`, or declarations of any other dependency except Pulumi.
 */

const dist = join(import.meta.dirname, "..", "dist");
const entries = [
  "components/index",
  "components/kubernetes/index",
  "components/plugin/index",
  "program-tests/index",
  "sdk/index",
].map((entry) => join(dist, `${entry}.d.ts`));

const program = ts.createProgram(entries, {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  types: ["node"],
});
const checker = program.getTypeChecker();
const isOurs = (file: ts.SourceFile) => file.fileName.startsWith(`${dist}/`);

const kept = new Map<ts.SourceFile, Set<ts.Statement>>();
function keepAll(file: ts.SourceFile | undefined): void {
  for (const statement of file?.statements ?? []) if (isExported(statement)) keep(statement);
}

function isExported(statement: ts.Statement): boolean {
  if (ts.isExportDeclaration(statement) || ts.isExportAssignment(statement)) return true;
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : [];
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

/** Keeps a statement and everything that it refers to. */
function keep(statement: ts.Statement): void {
  const file = statement.getSourceFile();
  if (!isOurs(file) || ts.isImportDeclaration(statement) || isSchema(statement)) return;
  const statements = kept.get(file) ?? new Set();
  if (statements.has(statement)) return;
  kept.set(file, statements.add(statement));
  if (ts.isExportDeclaration(statement) && statement.moduleSpecifier) {
    const module = checker.getSymbolAtLocation(statement.moduleSpecifier);
    const names = namesOf(statement);
    if (names === undefined) keepDeclarations(module);
    // The module may export a name of another one, with a statement that is needed, too.
    for (const name of names ?? []) keepDeclarations(module?.exports?.get(name));
  }
  const visit = (node: ts.Node): void => {
    if (inference(node)) return;
    if (ts.isIdentifier(node)) keepDeclarations(symbolOf(node));
    ts.forEachChild(node, visit);
  };
  visit(statement);
}

/** Returns the names in `export { a, b as c } from "module"`, as they are in the module; undefined for `export *`. */
const namesOf = ({ exportClause }: ts.ExportDeclaration): ts.__String[] | undefined =>
  exportClause && ts.isNamedExports(exportClause)
    ? exportClause.elements.map(({ name, propertyName = name }) =>
        ts.escapeLeadingUnderscores(propertyName.text),
      )
    : undefined;

const symbolOf = (name: ts.Identifier) =>
  ts.isExportSpecifier(name.parent)
    ? checker.getExportSpecifierLocalTargetSymbol(name.parent)
    : checker.getSymbolAtLocation(name);

function keepDeclarations(symbol: ts.Symbol | undefined): void {
  for (const declaration of symbol?.declarations ?? []) {
    if (ts.isSourceFile(declaration)) {
      if (isOurs(declaration)) keepAll(declaration);
      continue;
    }
    const statement = ts.findAncestor(
      declaration,
      ({ parent }) => parent && ts.isSourceFile(parent),
    );
    if (statement) keep(statement as ts.Statement);
  }
  if (symbol && symbol.flags & ts.SymbolFlags.Alias)
    keepDeclarations(checker.getAliasedSymbol(symbol));
}

/** Whether a statement is a constant schema, whose types must be written out if they are inferred. */
function isSchema(statement: ts.Statement): boolean {
  if (!ts.isVariableStatement(statement)) return false;
  return statement.declarationList.declarations.some(
    ({ type }) => type && /\bz\./.test(type.getText()),
  );
}

/** Whether a node is `z.infer<typeof Role>` or similar. */
function inference(node: ts.Node): node is ts.TypeReferenceNode {
  if (!ts.isTypeReferenceNode(node) || !/^z\.(infer|input|output)$/.test(node.typeName.getText()))
    return false;
  return node.typeArguments?.[0] !== undefined && ts.isTypeQueryNode(node.typeArguments[0]);
}

function fileText(file: ts.SourceFile, statements: ReadonlySet<ts.Statement>): string {
  const ours = file.statements.filter((each) => statements.has(each));
  const used = new Set(ours.flatMap(namesIn));
  const imports = file.statements
    .filter((each) => ts.isImportDeclaration(each))
    .flatMap((each) => importText(each, used));
  return `${[...imports, ...ours.map(statementText)].join("\n")}\nexport {};\n`;
}

function namesIn(node: ts.Node): string[] {
  if (ts.isIdentifier(node)) return [node.text];
  const names: string[] = [];
  if (!inference(node)) ts.forEachChild(node, (child) => void names.push(...namesIn(child)));
  return names;
}

function statementText(statement: ts.Statement): string {
  const edits: Array<readonly [from: number, to: number, text: string]> = [];
  const visit = (node: ts.Node): void => {
    if (inference(node)) edits.push([node.getStart(), node.getEnd(), expanded(node)]);
    else if (isLocal(node)) edits.push([node.getStart(), node.getEnd(), compiledName(node)]);
    else ts.forEachChild(node, visit);
  };
  visit(statement);
  const start = statement.getFullStart();
  return edits
    .reverse()
    .reduce(
      (text, [from, to, edit]) => text.slice(0, from - start) + edit + text.slice(to - start),
      statement.getFullText(),
    )
    .trim();
}

const printer = ts.createPrinter();

function expanded(node: ts.TypeNode): string {
  const { NoTruncation, InTypeAlias, MultilineObjectLiterals } = ts.NodeBuilderFlags;
  const type = checker.getTypeFromTypeNode(node);
  const flags = NoTruncation | InTypeAlias | MultilineObjectLiterals;
  const written = checker.typeToTypeNode(type, undefined, flags);
  if (written === undefined) throw new Error(`${node.getText()} cannot be written out`);
  return printer.printNode(ts.EmitHint.Unspecified, written, node.getSourceFile());
}

/**
 * Whether a node is the specifier of another local file. Compilers before TypeScript 5 support only its compiled name.
 */
const isLocal = (node: ts.Node): node is ts.StringLiteral =>
  ts.isStringLiteral(node) &&
  node.text.startsWith(".") &&
  (ts.isExportDeclaration(node.parent) || ts.isImportTypeNode(node.parent.parent));
const compiledName = ({ text }: ts.StringLiteral) => JSON.stringify(text.replace(/\.ts$/, ".js"));

/** Returns an import of the names that are used. */
function importText(
  { importClause, moduleSpecifier }: ts.ImportDeclaration,
  used: ReadonlySet<string>,
): string[] {
  if (importClause === undefined) return [];
  const { name, namedBindings } = importClause;
  const named = namedBindings && ts.isNamedImports(namedBindings) ? namedBindings.elements : [];
  const bindings = [
    ...(name && used.has(name.text) ? [name.text] : []),
    ...(namedBindings && ts.isNamespaceImport(namedBindings) && used.has(namedBindings.name.text)
      ? [namedBindings.getText()]
      : []),
    ...named.filter((each) => used.has(each.name.text)).map((each) => `{ ${each.getText()} }`),
  ];
  const start = importClause.isTypeOnly ? "import type" : "import";
  const from = compiledName(moduleSpecifier as ts.StringLiteral);
  return bindings.map((binding) => `${start} ${binding} from ${from};`);
}

function refuseForeignImports(file: string, text: string): void {
  const foreign = [...text.matchAll(/(?:from|import\()\s*"([^"]+)"/g)]
    .map(([, name = ""]) => name)
    .filter((name) => !/^(\.|node:|@pulumi\/(pulumi|kubernetes)(\/|$))/.test(name));
  if (foreign.length === 0) return;
  throw new Error(
    `${relative(dist, file)}: a public declaration needs the types of ${foreign.join(", ")}`,
  );
}

for (const entry of entries) keepAll(program.getSourceFile(entry));

const written = new Set<string>();
for (const [file, statements] of kept) {
  const text = fileText(file, statements);
  refuseForeignImports(file.fileName, text);
  writeFileSync(file.fileName, text);
  written.add(file.fileName);
}
for (const file of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
  const path = resolve(dist, file);
  if (path.endsWith(".d.ts") && !written.has(path)) rmSync(path);
}
