import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createSandbox } from "../src/sandbox/sandbox.ts";
import { memoryGroupOf } from "../src/sandbox/cgroup.ts";
import { HOSTILE_PROGRAMS } from "./fixtures/hostile-programs.ts";
const [containment="process"]=process.argv.slice(2);
const sandbox = await createSandbox({ containment: containment as never, workers: 1, standby: 0, startTimeoutMs: 60000 });
const base = memoryGroupOf("self")!.path;
const groups = () => readdirSync(base).filter((n) => n.startsWith(`sallyport-${process.pid}-`)).map((n)=>`${base}/${n}`);
const num=(g:string,f:string)=>{try{return Number(readFileSync(`${g}/${f}`,"latin1"))/1048576}catch{return NaN}};
async function one(name: string, source: string, limits = {}, language="javascript") {
  await sandbox.run({ language: language as never, source: "1", limits: { timeoutMs: 10000 } });
  const gs = groups();
  for (const g of gs) try { writeFileSync(`${g}/memory.max_usage_in_bytes`, "0"); } catch {}
  const before = gs.map((g) => num(g, "memory.usage_in_bytes"));
  let peak = gs.map(()=>0), on = true;
  const t=performance.now();
  const p = sandbox.run({ language: language as never, source, limits: { timeoutMs: 3000, ...limits } }).finally(()=>{on=false});
  while (on) { gs.forEach((g,i)=>{peak[i]=Math.max(peak[i]!, num(g,"memory.max_usage_in_bytes")||0)}); await new Promise(d=>setTimeout(d,1)); }
  gs.forEach((g,i)=>{peak[i]=Math.max(peak[i]!, num(g,"memory.max_usage_in_bytes")||0)});
  const o = await p;
  console.log(name.padEnd(40), o.status.padEnd(13), String(o.result ?? o.error).slice(0,20).padEnd(20), `base ${before.map(x=>x.toFixed(0))} over ${peak.map((x,i)=>(x-before[i]!).toFixed(1)).join()} limit ${gs.map(g=>num(g,"memory.limit_in_bytes").toFixed(0)).join()} ${(performance.now()-t).toFixed(0)} ms`);
}
await one("hello", "1+1");
await one("typescript", "enum A { x = 1 }; const f = (a: number): number => a; f(A.x)");
for (const mb of [8, 32, 48, 56, 60]) await one(`arrays ${mb} MB`, `const k=[]; for (let n=0;n<${mb};n++) k.push(new Array(131072).fill(1.5)); k.length`);
for (const n of [2e5,4e5,6e5,8e5,1e6]) await one(`objects ${n}`, `const k=[]; for (let n=0;n<${n};n++) k.push({a:n,b:"x"+n}); k.length`);
await one("strings", `let s=[]; for (let n=0;n<400;n++) s.push("x".repeat(1e5)+n); s.join("").length`);
await one("json", `JSON.parse(JSON.stringify(Array.from({length:2e5},(_, n)=>({n})))).length`);
for (const mb of [16,40,56]) await one(`buffers ${mb}`, `const k=[]; for (let n=0;n<${mb};n++) k.push(new Uint8Array(2**20).fill(1)); k.length`);
await one("big limit 800", "const kept = []; for (let n = 0; n < 100; n++) kept.push(new Array(1e6).fill(1.5)); kept.length", {memoryMb:1024,timeoutMs:30000});
await one("mid limit 200/256", "const kept = []; for (let n = 0; n < 25; n++) kept.push(new Array(1e6).fill(1.5)); kept.length", {memoryMb:256,timeoutMs:30000});
for (const {name,source} of HOSTILE_PROGRAMS.memory) await one("H "+name, source, {timeoutMs:1500});
await sandbox.close();
console.log("left", groups());
