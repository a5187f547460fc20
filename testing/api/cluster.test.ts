import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { attachCluster } from "./cluster.ts";

it("counts a write once the API server has written its whole line", () => {
  const folder = mkdtempSync(join(tmpdir(), "audit-"));
  const auditLog = join(folder, "audit.log");
  try {
    const place = { url: "https://127.0.0.1:1", ca: "", token: "", kubeconfig: "", auditLog };
    const { writes } = attachCluster(place);
    const event = { auditID: "1", stage: "RequestReceived", verb: "create" };
    const line = JSON.stringify({ ...event, requestURI: "/api/v1/namespaces" });
    const answer = JSON.stringify({
      ...{ ...event, stage: "ResponseComplete", responseStatus: { code: 201 } },
      requestURI: "/api/v1/namespaces",
    });
    writeFileSync(auditLog, `${line}\n${line.slice(0, 20)}`);
    expect(writes()).toMatchObject([{ created: false }]);
    writeFileSync(auditLog, `${line}\n${answer}\n`);
    expect(writes()).toMatchObject([{ created: true }]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
