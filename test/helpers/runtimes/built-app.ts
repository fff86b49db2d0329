import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Writes files into a folder. */
export function writeFiles(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** Makes an application beside an installed tool, which finds the tool's packages; the packed client is its own. */
export function appBeside(binary: string, client: string, files: Record<string, string>): string {
  const folder = mkdtempSync(join(dirname(binary), '../../app-'))
  cpSync(join(client, 'node_modules'), join(folder, 'node_modules'), { recursive: true })
  writeFiles(folder, files)
  return folder
}

/** Runs a command to its end, and gives what it printed. */
export const runIn = (folder: string, command: string, args: string[], env: Record<string, string> = {}) =>
  new Promise<string>((resolve, reject) => {
    const options = { cwd: folder, timeout: 240_000, env: { PATH: process.env.PATH, ...env } }
    execFile(command, args, options, (error, stdout, stderr) =>
      error ? reject(new Error(`${error.message}\n${stdout}\n${stderr}`)) : resolve(`${stdout}${stderr}`),
    )
  })

/** Starts a server on a free port, and waits until it prints its address. */
export async function startIn(folder: string, command: string, args: string[], env: Record<string, string>) {
  const child = spawn(command, args, { cwd: folder, env: { PATH: process.env.PATH, ...env }, detached: true })
  const printed = ['']
  const url = await new Promise<string>((resolve, reject) => {
    const onData = (data: Buffer) => {
      printed[0] += data.toString()
      const found = /http:\/\/(?:localhost|127\.0\.0\.1):[1-9]\d*/.exec(printed[0] ?? '')?.[0]
      if (found && /Ready/.test(printed[0] ?? '')) resolve(found)
    }
    child.stdout.on('data', onData)
    child.stderr.on('data', onData)
    child.once('exit', () => reject(new Error(`it ended: ${printed[0]}`)))
  })
  return { url, stop: () => stop(child) }
}

/** Ends the process and those that it started. */
const stop = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.pid === undefined) return resolve()
    child.removeAllListeners('exit').once('exit', () => resolve())
    process.kill(-child.pid, 'SIGKILL')
  })
