import { Command } from "commander";
import type { Action } from "../action.ts";
import type { DoctorOptions } from "../doctor/doctor.ts";
import { addReadingOptions } from "../options.ts";

export const doctorCommand = (action: Action) =>
  addReadingOptions(
    new Command("doctor")
      .summary("check that a cluster can run InferenceServices")
      .description(
        "Checks that a cluster can run InferenceServices, and prints a fix for each problem. It checks CRDs and controllers (also of this project), gateways and accelerators, and in the namespace of the services image pulls and volume claims. Changes nothing.",
      ),
  )
    .option(
      "--fix",
      "print the commands that fix the problems, as a shell script; runs none of them",
    )
    .addHelpText("after", examples)
    .action((options: DoctorOptions) =>
      action(async (terminal) => (await import("../doctor/doctor.ts")).doctor(options, terminal)),
    );

const examples = `
Exits with 1 if a problem keeps services from starting.

Examples:
  npx pulumi-inference doctor
  npx pulumi-inference doctor --fix
  npx pulumi-inference doctor --context gpu-cluster -n models
  npx pulumi-inference doctor --format json | jq '.[] | select(.level != "ok")'`;
