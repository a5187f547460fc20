import { constants } from "../../../scheduling/load-constants.ts";
import { settings } from "./ablations.ts";

/**
 * Imported before `play.ts`: sets the constants that `ABLATE` names, separated by commas, before any module reads them.
 */
for (const { constant, value } of settings(process.env.ABLATE ?? ""))
  Object.assign(constants, { [constant]: value });
