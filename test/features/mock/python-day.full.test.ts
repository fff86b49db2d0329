import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { bin } from '../../helpers/built.js'
import { chromium } from '../../helpers/runtimes/cache.js'
import { startChromium, textOf } from '../gate/report-page.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const program = readFileSync(join(root, 'examples/runners/day.py'), 'utf8')
const python = ['/usr/bin/python3', 'python3'].find((command) => spawnSync(command, ['--version']).status === 0)
const browser = chromium()

it.skipIf(!python || 'missing' in browser)(
  'a Python team starts, seeds, asserts 200 kB, sees it in the page, and stops',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-day-'))
    symlinkSync(bin, join(folder, 'svc'))
    const env = { PATH: [folder, process.env.PATH].join(delimiter), HOME: folder, TMPDIR: folder }
    const day = spawn(python ?? '', ['-c', program], { env, stdio: ['pipe', 'pipe', 'pipe'] })
    let said = ''
    day.stderr.on('data', (data) => {
      said += String(data)
    })
    const ended = once(day, 'close')
    try {
      const [link] = (await Promise.race([once(createInterface(day.stdout), 'line'), ended.then(() => [said])])) as [
        string,
      ]
      expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/_svc\/#token=[\w-]+$/)
      // The command prints the same link.
      expect(said).toContain(`see the requests at ${link}\n`)
      const opened = await startChromium('binary' in browser ? browser.binary : '')
      try {
        const page = await opened.newPage()
        await page.goto(link)
        await page.waitForSelector('#rows tr')
        expect(await textOf(page, '#rows td:nth-child(2)')).toEqual(['transcripts.upload'])
        await page.click('#rows tr')
        expect((await textOf(page, '#detail'))[0]).toMatch(
          /The request is as the interface describes it.*2000\d\d bytes/s,
        )
      } finally {
        await opened.close()
      }
      day.stdin.end('\n')
      expect([(await ended)[0], said.includes('Traceback')]).toEqual([0, false])
      await expect(fetch(link)).rejects.toThrow()
    } finally {
      day.kill()
      await ended
      rmSync(folder, { recursive: true, maxRetries: 3 })
    }
  },
)
