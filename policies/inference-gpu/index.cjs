const { existsSync } = require("node:fs");
const { join } = require("node:path");

// A pack that is published alone has the rules beside it: `prepack` puts them there.
const alone = join(__dirname, "serve-pack.cjs");
require(existsSync(alone) ? alone : "../serve-pack.cjs").servePack("inference-gpu");
