import { expect, it } from "vitest";
import { originOf } from "./origin.ts";

it.each([
  ["localhost:5000", "http://localhost:5000"],
  ["127.0.0.1:5000", "http://127.0.0.1:5000"],
  ["127.8.9.10", "http://127.8.9.10"],
  ["[::1]:5000", "http://[::1]:5000"],
  ["localhost.attacker.test", "https://localhost.attacker.test"],
  ["localhost-registry.corp.test", "https://localhost-registry.corp.test"],
  ["localhost.:5000", "https://localhost.:5000"],
  ["127.attacker.test", "https://127.attacker.test"],
  ["127.0.0.1.nip.test", "https://127.0.0.1.nip.test"],
  ["[::1:2]:5000", "https://[::1:2]:5000"],
  ["10.0.0.1:5000", "https://10.0.0.1:5000"],
  ["docker.io", "https://registry-1.docker.io"],
  ["registry.lan:5000", "http://registry.lan:5000"],
])("originOf returns %s as %s", (registry, origin) => {
  expect(originOf(registry, ["registry.lan:5000"])).toBe(origin);
});
