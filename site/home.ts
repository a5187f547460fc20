import { linked } from "./pages.ts";

/**
 * Returns the first page of the site, in VitePress's home layout.
 *
 * @param readme text of README.md; the page shows its first program and its box on the state of the project
 */
export function home(readme: string): string {
  const [program] = /^```ts\n[\s\S]*?^```$/m.exec(readme) ?? [];
  if (program === undefined) throw new Error("README.md has no program");
  const box = linked(stateBox(readme), "README", "README.md");
  return `---
layout: home
hero:
  name: pulumi-inference
  text: Run large language models on Kubernetes from TypeScript
  tagline: Name a model and an accelerator. pulumi up plans the engine, the gang, the pool and the routing.
  actions:
    - { theme: brand, text: Quickstart from a checkout, link: /quickstart }
    - { theme: alt, text: Install, link: /install }
    - { theme: alt, text: How to, link: /how-to/ }
features:
  - title: It fails at preview, not after 20 minutes
    details: Weights, KV cache, parallel sizes and data types are checked against the accelerator before anything is deployed.
    link: /start-up
  - title: Groups of GPUs start whole or not at all
    details: Replicas over several nodes are gangs. capacity shows which of them start on your GPUs.
    link: /gangs
  - title: Requests go to the server that answers first
    details: The endpoint picker knows cached prefixes, queues, priorities and tenants.
    link: /endpoint-picker
---

${box}

${program}
![Objects of the quickstart and the way of a request through them](images/quickstart.svg)
`;
}

/** Returns the README's box on the state of the project, in VitePress's syntax. */
function stateBox(readme: string): string {
  const [, quoted] = /^> \[!IMPORTANT\]\n((?:> .*\n)+)/m.exec(readme) ?? [];
  if (quoted === undefined) throw new Error("README.md has no box `> [!IMPORTANT]`");
  const text = quoted.replaceAll(/^> /gm, "").replace("](#install)", "](docs/install.md)");
  return `::: warning\n${text}:::`;
}
