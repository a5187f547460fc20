/** Entry `pulumi-inference/plugin`: serves the components to programs in other languages. */
import { readFileSync } from "node:fs";
import * as provider from "@pulumi/pulumi/provider/index.js";
import { componentProvider } from "./component-provider.ts";

/** Serves the components with a schema, as the Pulumi CLI expects of a plugin: arguments in argv, the port on stdout. */
export function servePlugin(schema: URL): void {
  const served = componentProvider(readFileSync(schema, "utf8"));
  provider.main(served, process.argv.slice(2)).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
}
