const { failures, faultsOf, recipes } = await import("/tmp/wt/d/sdk/start-up/corpus/corpus.fixture.ts");
let ok=0;
for (const f of failures) { let faults:any[]; try { faults = f.accelerators.flatMap((a:any)=>faultsOf(f,a)); } catch(e:any) { console.log("THROW", f.source, e.stack.split("\n").slice(0,3)); continue; }
  const n = faults.find((x:any)=>x.kind===f.kind); const t=`${n?.given}\n${n?.allowed}\n${n?.fix}`;
  if (!n || !f.message.test(t)) console.log("MISS", f.source, f.kind, String(f.message), JSON.stringify(faults)); else { ok++; if (process.argv[2]==="all") console.log("OK", f.source, JSON.stringify(faults)); }
}
let silent=0, total=0;
for (const r of recipes) for (const a of r.accelerators) { total++; let faults:any[]; try {faults = faultsOf(r,a).filter((x:any)=>x.kind!=="token");} catch(e:any){console.log("THROW",r.source,e.message);continue;} if (faults.length) console.log("FALSE", r.source, a, r.command.slice(0,150), JSON.stringify(faults)); else silent++; }
console.log(ok, failures.length, silent, total, recipes.length);
