/** Text of files with types that are generated from schemas. */

export const interfaceText = (
  name: string,
  description: string | undefined,
  base: string | undefined,
  fields: readonly string[],
) => {
  const heritage = base === undefined ? "" : ` extends ${base}`;
  return `${comment(description)}export interface ${name}${heritage} {\n${fields.join("\n")}\n}\n`;
};

const width = 120;

/** Returns a description as TSDoc; empty if there is none. */
export function comment(description: string | undefined, indent = ""): string {
  if (description === undefined) return "";
  const paragraphs = description.split("\n\n");
  const single = `${indent}/** ${description} */`;
  if (paragraphs.length === 1 && single.length <= width) return `${single}\n`;
  const lines = paragraphs.flatMap((paragraph, at) => [
    ...(at === 0 ? [] : [`${indent} *`]),
    ...wrapped(paragraph, width - indent.length - 3).map((line) => `${indent} * ${line}`),
  ]);
  return `${indent}/**\n${lines.join("\n")}\n${indent} */\n`;
}

function wrapped(text: string, length: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > length) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

/** Returns a file of declarations with their imports, which are names by module. */
export function generatedFile(
  source: string,
  script: string,
  declared: string,
  modules: ReadonlyArray<readonly [name: string, module: string]> = [],
): string {
  const code = declared.replaceAll(/\/\*\*[\s\S]*?\*\//g, "");
  return [
    `// Made from ${source} by ${script}; change the schemas, not this file.`,
    "",
    ...(mentions(code, "types") ? ['import type { types } from "@pulumi/kubernetes";'] : []),
    'import type * as pulumi from "@pulumi/pulumi";',
    ...grouped(modules.filter(([name]) => mentions(code, name))),
    "",
    declared,
  ].join("\n");
}

export const mentions = (text: string, name: string) => new RegExp(`\\b${name}\\b`).test(text);

function grouped(names: ReadonlyArray<readonly [name: string, module: string]>): string[] {
  const byModule = Map.groupBy(names, ([, module]) => module);
  return [...byModule]
    .sort(([module], [other]) => (module.replace(".ts", "") < other.replace(".ts", "") ? -1 : 1))
    .map(([module, entries]) => importText(entries.map(([name]) => name).sort(), module));
}

function importText(names: readonly string[], module: string): string {
  const line = `import type { ${names.join(", ")} } from "${module}";`;
  return line.length <= 100
    ? line
    : `import type {\n${names.map((name) => `  ${name},`).join("\n")}\n} from "${module}";`;
}
