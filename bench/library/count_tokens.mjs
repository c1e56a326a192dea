// Reads a JSON array of texts on stdin, writes the o200k token count of each as JSON.
import { createRequire } from "node:module";
const require = createRequire(process.argv[2] + "/");
const { countTokens } = require("gpt-tokenizer/encoding/o200k_base");
let body = "";
for await (const piece of process.stdin) body += piece;
const counts = JSON.parse(body).map((text) => countTokens(text));
process.stdout.write(JSON.stringify(counts));
