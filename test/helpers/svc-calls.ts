import { once } from 'node:events'
import { createReadStream, createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { realIo, run } from '@svc/cli'
import { bin } from './built.js'

/**
 * Write an `svc` to a folder that this process runs: it takes its words, variables and standard input from a shell, and gives
 * it output and exit code. To start the command takes longer than most of its work; `svc mock` and tests of processes, signals
 * or code in a policy start it nevertheless.
 */
export async function svcCalls(folder: string): Promise<{ close(): Promise<void> }> {
  const calls = createServer((socket) => {
    socket.setEncoding('utf8').once('data', async (called) => {
      const path = (name: string) => join(String(called).trim(), name)
      const listed = (name: string) => readFileSync(path(name), 'utf8').split('\0').slice(0, -1)
      const env = Object.fromEntries(listed('env').map((line) => line.split(/=(.*)/s).slice(0, 2)))
      const [stdout, stderr] = [createWriteStream(path('out')), createWriteStream(path('err'))]
      const { versions, execPath, pid, kill, geteuid } = process
      const host = { versions, execPath, pid, kill, geteuid, env, argv: [execPath, bin], stdout, stderr }
      const stdin = createReadStream(path('in'))
      const { signal } = new AbortController()
      const io = realIo({ ...host, stdin } as never, env.PWD ?? '', { signal, onSignal: () => () => {} })
      const code = await run(listed('words'), io)
      await Promise.all([stdout, stderr].map((stream) => once(stream.end(), 'close')))
      socket.end(`${code}\n`)
    })
  })
  await once(calls.listen(0, '127.0.0.1'), 'listening')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'svc'), forward((calls.address() as AddressInfo).port), { mode: 0o755 })
  return {
    async close() {
      await new Promise((resolve) => calls.close(resolve))
    },
  }
}

// The input of a loop around the command is not for it.
const forward = (port: number) => `#!/usr/bin/env bash
[ "$1" = mock ] && exec '${process.execPath}' '${bin}' "$@"
call=$(mktemp -d "\${0%/*}/call-XXXXXX")
printf '%s\\0' "$@" > "$call/words"
env -0 > "$call/env"
case " $* " in
  *' - '* | *' login '* | *' --with-key '*) cat > "$call/in" ;;
  *) : > "$call/in" ;;
esac
exec 3<> /dev/tcp/127.0.0.1/${port}
echo "$call" >&3
read -r code <&3
cat "$call/out"
cat "$call/err" >&2
exit "$code"
`
