import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { installOwnCrds } from "../../testing/api/install-crds.ts";
import type { LeaderWorkerSet } from "../../testing/stand-ins/objects.ts";
import { type PluginStage, soon, statusObject } from "./plugin-stage.fixture.ts";

/** Pod plugins that are called when a pod is ready, by the webhook of a stage. */
export function readyHooks(stage: PluginStage): void {
  const { made, remote, conditionsOf } = stage;

  describe("OnPodReady", () => {
    const hooks = ["OnPodCreate", "OnPodReady"];
    const ready = (name: string) =>
      stage.endpoint.hooksOf(name).filter((hook) => hook === "OnPodReady");

    it("is called once each time a pod becomes ready, whoever leads", async () => {
      const [lws] = await made([remote({ hooks })]);
      const { metadata } = await stage.scene.createLeader(lws);
      const { name } = metadata;
      const note = async () =>
        (await stage.scene.get(name)).metadata.annotations?.["pulumi-inference/ready-hooks"];

      await stage.scene.report(name, false, "2026-01-01T00:00:00Z");
      await stage.scene.report(name, true, "2026-01-01T00:00:10Z");
      await expect.poll(note, soon).toBe("2026-01-01T00:00:10Z");
      // Other changes of a ready pod are not transitions.
      await stage.cluster.request(
        "PATCH",
        `/api/v1/namespaces/${stage.namespace}/pods/${name}`,
        { metadata: { labels: { seen: "yes" } } },
        mergePatchType,
      );
      await stage.scene.stop();
      await stage.scene.start();
      const [other] = await made([remote({ hooks })]);
      const second = (await stage.scene.createLeader(other)).metadata.name;
      await stage.scene.report(second, true, "2026-01-01T00:00:20Z");
      await expect.poll(() => ready(second), soon).toHaveLength(1);
      expect(ready(name)).toHaveLength(1);

      await stage.scene.report(name, false, "2026-01-01T00:01:00Z");
      await stage.scene.report(name, true, "2026-01-01T00:01:10Z");
      await expect.poll(note, soon).toBe("2026-01-01T00:01:10Z");
      expect(ready(name)).toHaveLength(2);
    });

    it("is called for a pod that took the name of one whose call was under way", async () => {
      const [lws] = await made([remote({ hooks: ["OnPodReady"] })]);
      const held: Array<() => void> = [];
      stage.endpoint.answer = (_call, response) => held.push(() => response.end("{}"));
      const since = "2026-01-01T00:00:10Z";
      const { name } = (await stage.scene.createLeader(lws)).metadata;
      await stage.scene.report(name, true, since);
      await expect.poll(() => held, soon).toHaveLength(1);
      await stage.cluster.request("DELETE", `/api/v1/namespaces/${stage.namespace}/pods/${name}`, {
        gracePeriodSeconds: 0,
      });
      await stage.scene.createLeader(lws);
      await stage.scene.report(name, true, since);
      held[0]?.();
      // A note that belonged to the first pod would keep the hook of the second one from being called.
      await expect.poll(() => held, soon).toHaveLength(2);
      held[1]?.();
      await expect
        .poll(
          async () =>
            (await stage.scene.get(name)).metadata.annotations?.["pulumi-inference/ready-hooks"],
          soon,
        )
        .toBe(since);
    });

    it("is called again when it fails, and its failure is told", async () => {
      const [lws] = await made([remote({ hooks: ["OnPodReady"] })]);
      let failing = true;
      stage.endpoint.answer = (_call, response) => {
        if (failing) response.writeHead(503);
        response.end("{}");
      };
      const { name } = (await stage.scene.createLeader(lws)).metadata;
      await stage.scene.report(name, true, "2026-01-01T00:00:10Z");
      await expect
        .poll(() => stage.scene.eventsOn(lws, "PluginFailed"), soon)
        .toMatchObject([
          { message: "pod plugin remote, OnPodReady: the endpoint returned status 503" },
        ]);
      failing = false;
      await expect
        .poll(
          async () =>
            (await stage.scene.get(name)).metadata.annotations?.["pulumi-inference/ready-hooks"],
          soon,
        )
        .toBe("2026-01-01T00:00:10Z");
      // A pod with this hook alone is made without a review.
      expect(stage.endpoint.hooksOf(name)).not.toContain("OnPodCreate");
    });
  });

  describe("OnPodReady of a plugin in code", () => {
    const folder = mkdtempSync(join(tmpdir(), "ready-hooks-"));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    const on = (reason: string, lws: LeaderWorkerSet) => () => stage.scene.eventsOn(lws, reason);

    it("reads the pod, fails until it can run, and is told of in events, metrics and the condition", async () => {
      await installOwnCrds(stage.cluster);
      const [file, broken] = [join(folder, "register"), join(folder, "broken")];
      writeFileSync(broken, "");
      const [lws, service] = await made([{ name: "register", config: { file, broken } }]);
      const path = `/apis/fusioninfer.io/v1alpha1/namespaces/${stage.namespace}/inferenceservices`;
      await stage.cluster.request("POST", path, statusObject(service));
      const { name } = (await stage.scene.createLeader(lws)).metadata;
      await stage.scene.report(name, true, "2026-01-01T00:00:10Z");

      const failure = "pod plugin register, OnPodReady: the register is closed";
      await expect.poll(on("PluginFailed", lws), soon).toMatchObject([{ message: failure }]);
      await expect
        .poll(() => conditionsOf(`${path}/${service}`), soon)
        .toEqual([
          ["PluginsApplied", "False", "ReadyHookFailed", `${lws.metadata.name}: ${failure}`],
        ]);
      await expect
        .poll(() => stage.scene.lines('pod_plugin_failures_total{result="retried"}'), soon)
        .toMatch(/ [1-9]\d*$/);
      const succeeded = await stage.scene.lines("pod_plugin_ready_hooks_total");

      rmSync(broken);
      await expect
        .poll(on("ReadyHooksRan", lws), soon)
        .toMatchObject([
          { message: `pod ${name} is ready: OnPodReady of the plugins register has run`, count: 1 },
        ]);
      await expect
        .poll(() => conditionsOf(`${path}/${service}`), soon)
        .toEqual(
          expect.arrayContaining([["PluginsApplied", "True", "PluginsApplied", expect.anything()]]),
        );
      expect(await stage.scene.lines("pod_plugin_ready_hooks_total")).not.toBe(succeeded);
      const { spec } = statusObject(service);
      expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
        name,
        roleID: "w-0",
        spec,
        changes: 0,
      });
    });
  });
}
