import type { RuleCases } from "./edited-stack.fixture.ts";

const listener = "spec listeners 0";
const gateway = "Gateway/gateway";

const refused = (given: string, fix: string) => ({
  edits: [[gateway, `${listener} protocol`, given]] as const,
  finds: [
    `Gateway ml/gateway: spec.listeners[0].protocol: is "${given}"; allowed: HTTP, HTTPS, TLS, TCP or UDP, or a protocol with a domain prefix. ${fix}`,
  ],
});

export const listenerCases: readonly RuleCases[] = [
  {
    rule: "listener-protocol-is-known",
    allows: {
      TLS: [[gateway, `${listener} protocol`, "TLS"]],
      "a protocol of a domain": [[gateway, `${listener} protocol`, "example.com/quic"]],
      "Istio's protocol": [[gateway, `${listener} protocol`, "HBONE"]],
    },
    refuses: {
      "a misspelt protocol": refused("HTPP", "Did you mean HTTP?"),
      "a protocol in lower case": refused("https", "Did you mean HTTPS?"),
      "another protocol": refused("websocket", "Correct the protocol."),
    },
  },
];
