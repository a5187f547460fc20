import { afterEach, beforeEach, expect } from "vitest";
import {
  type ScriptedRequest,
  type ScriptedServer,
  startScriptedServer,
  TestTime,
} from "../api/api-server.fixture.ts";
import { type KubernetesClient, newKubernetesClient } from "../api/client.ts";
import type { KubernetesObject } from "../values/object.ts";
import type { Change } from "./object-cache.ts";
import { Reflector, type ReflectorOptions, type ReflectorState } from "./reflector.ts";

export const path = "/apis/x/v1/namespaces/default/ys";

/** A reflector with its server and time, created for each test. */
export interface ReflectorTest {
  readonly server: ScriptedServer;
  readonly client: KubernetesClient;
  readonly time: TestTime;
  readonly reflector: Reflector<string>;
  /** Type, key and value of each change. */
  changes: string[];
  readonly states: ReflectorState[];
  readonly errors: unknown[];
  /** Starts the reflector, which keeps `name@resourceVersion`. */
  start(options?: Partial<ReflectorOptions<string>>): void;
  /** Records changes, as the handler of the reflector does. */
  take(some: readonly Change<string>[]): void;
  /** Resolves when the change has been reported. */
  told(change: string): Promise<void>;
  /** Returns the next request, which must be a list. */
  nextList(): Promise<ScriptedRequest>;
  /** Returns the next request, which must be a watch. */
  nextWatch(): Promise<ScriptedRequest>;
  /** Starts the reflector, answers the list with version 5 and returns the watch that follows. */
  startWatching(
    items?: object[],
    options?: Partial<ReflectorOptions<string>>,
  ): Promise<ScriptedRequest>;
}

const text = (change: Change<string>) =>
  [change.type, change.key, change.type === "deleted" ? change.previous : change.object].join(" ");

/** Registers the hooks that start and stop a scripted server, a client and a reflector for each test. */
export function reflectorTest(): ReflectorTest {
  let changed: (() => void) | undefined;
  const next = async (isWatch: boolean) => {
    const request = await t.server.next();
    expect([request.path, request.isWatch]).toEqual([path, isWatch]);
    return request;
  };
  const t = {
    start(options: Partial<ReflectorOptions<string>> = {}) {
      t.reflector = new Reflector<string>({
        client: t.client,
        path,
        trim: ({ metadata }: KubernetesObject) => `${metadata.name}@${metadata.resourceVersion}`,
        onChange: t.take,
        onState: (state) => t.states.push(state),
        onError: (error) => t.errors.push(error),
        time: t.time,
        ...options,
      });
      t.reflector.start();
    },
    take(some: readonly Change<string>[]) {
      t.changes.push(...some.map(text));
      changed?.();
    },
    async told(change: string) {
      while (!t.changes.includes(change))
        await new Promise<void>((resolve) => {
          changed = resolve;
        });
    },
    nextList: () => next(false),
    nextWatch: () => next(true),
    async startWatching(items: object[] = [], options: Partial<ReflectorOptions<string>> = {}) {
      t.start(options);
      (await next(false)).list(items, "5");
      return next(true);
    },
  } as { -readonly [Name in keyof ReflectorTest]: ReflectorTest[Name] };
  beforeEach(async () => {
    t.server = await startScriptedServer();
    t.client = newKubernetesClient(t.server.config);
    t.time = new TestTime();
    t.changes = [];
    t.states = [];
    t.errors = [];
  });
  afterEach(async () => {
    await t.reflector?.stop();
    t.client.close();
    await t.server.close();
  });
  return t;
}
