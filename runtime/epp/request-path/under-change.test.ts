import { expect, it } from "vitest";
import { RequestError } from "../../../scheduling/requests/request-error.ts";
import { seeded } from "../../../testing/samples/seeded.ts";
import { model, objects, pod, pool, rewriteObject, service } from "../datastore/objects.fixture.ts";
import type { RewriteObject, ServiceObject } from "../datastore/pool-objects.ts";
import { newEvents, standInPicker } from "../server/conversation.fixture.ts";
import { nobodyWaits } from "./admit.ts";
import type { RoutedRequest } from "./pending-request.ts";
import { accept, admit } from "./route.ts";

const second = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, n)).toISOString();

it("requests are routed by the current objects while objects are created, edited and deleted", () => {
  const random = seeded(42);
  const among = (count: number) => Math.floor(random() * count);
  const picker = standInPicker({}, newEvents());
  const services = new Map<string, ServiceObject>();
  const rewrites = new Map<string, RewriteObject>();
  const required = pool({ registrationRequired: true });

  function change(step: number): void {
    const name = `o${among(30)}`;
    const creationTimestamp = services.get(name)?.creationTimestamp ?? second(step);
    const names = new Set(Array.from({ length: 1 + among(3) }, () => `m${among(40)}`));
    if (random() < 0.3) services.delete(name);
    else
      services.set(
        name,
        service(
          name,
          [...names].map((each) =>
            model(each, { targets: [{ model: `${name}@${step}`, weight: among(3) }] }),
          ),
          { creationTimestamp },
        ),
      );
    const chance = random();
    if (chance < 0.5) rewrites.delete(name);
    else if (chance < 0.75)
      rewrites.set(
        name,
        rewriteObject(
          name,
          [
            {
              models: [...names],
              targets: random() < 0.3 ? [] : [{ model: `r-${name}@${step}`, weight: 1 }],
            },
          ],
          { creationTimestamp },
        ),
      );
    picker.datastore.update(
      objects({
        pool: required,
        pods: [pod("a")],
        services: [...services.values()].reverse(),
        rewrites: [...rewrites.values()].reverse(),
      }),
    );
  }

  /** The expected target, computed from all objects. */
  function expected(name: string): string | undefined {
    const oldest = <T extends { creationTimestamp: string; name: string }>(list: T[]) =>
      list.sort((a, b) =>
        a.creationTimestamp + a.name < b.creationTimestamp + b.name ? -1 : 1,
      )[0];
    const owner = oldest(
      [...services.values()].filter(({ models }) => models.some((each) => each.name === name)),
    );
    if (owner === undefined) return undefined;
    const rule = oldest(
      [...rewrites.values()].filter(
        ({ rules: [only] }) => only?.models?.includes(name) && only.targets.length > 0,
      ),
    );
    if (rule !== undefined) return rule.rules[0]?.targets[0]?.model;
    const target = owner.models.find((each) => each.name === name)?.targets[0];
    return target?.weight === 0 ? undefined : target?.model;
  }

  const headers = new Map([[":path", "/v1/completions"]]);
  const served = (name: string): string | undefined => {
    const body = Buffer.from(`{"model":"${name}","prompt":"hi"}`);
    try {
      const routed = admit(
        accept({ headers, metadata: new Map(), body }, picker, nobodyWaits),
        picker,
        nobodyWaits,
      );
      return (routed as RoutedRequest).labels.targetModel;
    } catch (error) {
      expect(error).toBeInstanceOf(RequestError);
      expect((error as RequestError).code).toBe("NotFound");
      return undefined;
    }
  };

  const outcomes = { served: 0, refused: 0 };
  for (let step = 0; step < 2_000; step += 1) {
    change(step);
    for (let n = 0; n < 3; n += 1) {
      const name = `m${among(40)}`;
      const target = served(name);
      expect(target, `${name} after change ${step}`).toBe(expected(name));
      outcomes[target === undefined ? "refused" : "served"] += 1;
    }
  }
  expect(Math.min(outcomes.served, outcomes.refused)).toBeGreaterThan(500);
});
