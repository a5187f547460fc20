require("./serve-pack.cjs").servePack("inference");
