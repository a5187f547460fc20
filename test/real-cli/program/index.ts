import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { InferenceService, type InferenceServiceArgs } from "../../../components/index.ts";

/** One service, as the JSON file of the configuration describes it. */
export interface OneService {
  readonly component?: string | undefined;
  /** Undefined if the program has no service. */
  readonly args: object | undefined;
  readonly opts?: pulumi.ComponentResourceOptions | undefined;
}

const file = new pulumi.Config().require("service");
const { component = "svc", args, opts } = JSON.parse(readFileSync(file, "utf8")) as OneService;
if (args !== undefined) new InferenceService(component, args as InferenceServiceArgs, opts);
