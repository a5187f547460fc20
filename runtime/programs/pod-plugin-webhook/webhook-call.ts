import { Agent, request as httpsRequest } from "node:https";
import { z } from "zod";
import { readBody } from "../../../kubernetes/api/read-body.ts";
import type { HookRequest } from "../../../sdk/plugins/hook-request.ts";
import type { RunTimePlugin } from "../../../sdk/plugins/plugins-file.ts";
import { podPluginVersion } from "../../../sdk/plugins/pod-plugin.ts";
import { isAllowedUrl } from "../../../sdk/rules/spec/pod-plugins.ts";
import type { PodHook, WebhookSettings } from "../../../sdk/spec/pod-plugin.ts";
import { JsonPatch } from "./json-patch.ts";

/** Longest response, in bytes. */
const longestAnswer = 256 * 1024;

const Answer = z.strictObject({ patch: JsonPatch.optional() });

/** The endpoints that may be called. */
export interface WebhookGate {
  /** Undefined if plugins of type Webhook are disabled. */
  readonly urls: readonly string[] | undefined;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64, timeout: 30_000 });

/**
 * Sends a hook request to a plugin's endpoint and returns the patch in the response; empty if the response contains no
 * patch.
 *
 * @throws Error if the endpoint is not allowed, does not respond in time, or returns an invalid response
 */
export async function callWebhook(
  plugin: RunTimePlugin,
  hook: PodHook,
  request: HookRequest,
  { urls }: WebhookGate,
): Promise<JsonPatch> {
  const { webhook } = plugin;
  if (webhook === undefined) throw new Error("has no webhook");
  if (urls === undefined)
    throw new Error("plugins of type Webhook are not enabled in this cluster");
  if (!isAllowedUrl(webhook.url, urls)) {
    throw new Error(`${webhook.url} is not among the URLs that are allowed in this cluster`);
  }
  const body = JSON.stringify({
    version: podPluginVersion,
    hook,
    config: plugin.config,
    ...request,
  });
  const answer = Answer.safeParse(parsed(await post(webhook, body)));
  if (!answer.success) {
    const [issue] = answer.error.issues;
    throw new Error(
      `the response is not {"patch": [...]}: ${issue?.path.join(".")} ${issue?.message}`,
    );
  }
  return answer.data.patch ?? [];
}

function parsed(text: string): unknown {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    throw new Error("the response is not JSON");
  }
}

/** Treats a redirect as a failure, like any status other than 200: it could lead to any address. */
function post({ url, caBundle, timeoutSeconds }: WebhookSettings, body: string): Promise<string> {
  const signal = AbortSignal.timeout(timeoutSeconds * 1000);
  return new Promise((resolve, reject) => {
    const fail = (error: Error) =>
      reject(signal.aborted ? new Error(`no response within ${timeoutSeconds} s`) : error);
    const headers = { "content-type": "application/json", accept: "application/json" };
    const options = { method: "POST", headers, agent, signal, ...(caBundle && { ca: caBundle }) };
    const sent = httpsRequest(url, options, (response) => {
      readBody(response, { what: "the answer", maxBytes: longestAnswer }).then((answer) => {
        if (response.statusCode === 200) resolve(answer.toString());
        else fail(new Error(`the endpoint returned status ${response.statusCode}`));
      }, fail);
    });
    sent.on("error", fail);
    sent.end(body);
  });
}
