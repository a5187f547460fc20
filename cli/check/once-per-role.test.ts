import { expect, it } from "vitest";
import type { PolicyViolation } from "../analyzer/analyzer-process.ts";
import { oncePerRole } from "./once-per-role.ts";

const policy = { name: "shared-memory-is-mounted" } as PolicyViolation["policy"];

const violation = (name: string, role: string | undefined, text: string) => ({
  violation: {
    policy,
    level: "advisory" as const,
    urn: name,
    message: `LeaderWorkerSet ml/${name}: ${text}`,
    isKnown: true,
  },
  object: {
    kind: "LeaderWorkerSet",
    metadata: {
      name,
      namespace: "ml",
      ...(role !== undefined && {
        labels: { "fusioninfer.io/service": "chat", "fusioninfer.io/role-name": role },
      }),
    },
  },
  document: "chat.yaml",
});

const messagesOf = (...given: Parameters<typeof oncePerRole>[0]) =>
  oncePerRole(given).map(({ message }) => message);

it("oncePerRole merges a violation that several objects of a role share", () => {
  expect(
    messagesOf(
      violation("chat-a-0", "a", "spec: no /dev/shm."),
      violation("chat-a-1", "a", "spec: no /dev/shm."),
      violation("chat-b-0", "b", "spec: no /dev/shm."),
    ),
  ).toEqual([
    "LeaderWorkerSet ml/chat-a-0: spec: no /dev/shm. The same applies to LeaderWorkerSet ml/chat-a-1.",
    "LeaderWorkerSet ml/chat-b-0: spec: no /dev/shm.",
  ]);
});

it("oncePerRole names at most three other objects", () => {
  const all = [0, 1, 2, 3, 4, 5].map((at) => violation(`a-${at}`, "a", "spec: wrong."));
  expect(messagesOf(...all)).toEqual([
    "LeaderWorkerSet ml/a-0: spec: wrong. The same applies to LeaderWorkerSet ml/a-1, LeaderWorkerSet ml/a-2, LeaderWorkerSet ml/a-3 and 2 more.",
  ]);
});

it("oncePerRole does not merge different texts, or objects without a role", () => {
  const given = [
    violation("a-0", "a", "spec: wrong."),
    violation("a-1", "a", "spec.replicas: wrong."),
    violation("x", undefined, "spec: wrong."),
    violation("y", undefined, "spec: wrong."),
  ];
  expect(oncePerRole(given)).toEqual(given.map((each) => each.violation));
});
