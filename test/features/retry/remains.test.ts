import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { endingFaults } from './ending-faults.js'
import { type EndingName, endingOf, endings, enough } from './endings.js'
import { openLab } from './lab.js'
import { strangers } from './strangers.js'
import { transports } from './transports.js'

const names = Object.keys(endings) as EndingName[]
const settled = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  )

describe.each(transports)('over $name, nothing remains after', (transport) => {
  it.each(names)('%s', async (name) => {
    const { run, stopsAfter, stopsAt } = endingOf(name)
    const fault = endingFaults[name]
    const stranger = 'stranger' in fault ? await strangers[fault.stranger]() : undefined
    const lab = await openLab(transport, {
      script: 'script' in fault ? fault.script : [],
      ...(stranger && { baseUrl: stranger.origin, publicBaseUrl: stranger.origin }),
    })
    const { clock, server, events } = lab
    clock.chance = 0.5
    const stop = new AbortController()
    const call = settled(run({ ...lab, stop }))
    if (stopsAfter) await lab.when(() => stopsAfter(events))
    if (stopsAt === 'connected') await lab.when(() => stranger?.connections() === 1)
    if (stopsAt === 'held') await lab.whenHeld()
    if (stopsAfter || stopsAt) {
      // Time stands still: what the stop does not end at once is not ended.
      stop.abort(enough)
      expect(await call).toBe(enough)
    } else {
      const error = await lab.until(call)
      if (stop.signal.aborted) expect(error).toBe(enough)
    }

    expect(clock.pending).toEqual([])
    expect(getEventListeners(stop.signal, 'abort')).toEqual([])
    server.readOn()
    // Every exchange is over on the server's side, too: answered to the end, or its connection closed.
    await lab.when(() => server.counts.working === 0)
    const isBrokenOff = stopsAt !== undefined || /^(time-out|deadline)/.test(name)
    if (isBrokenOff && transport.keepsItsOwn) {
      await lab.when(() => server.connections() === 0 && !stranger?.connections())
    }
    expect(server.seen.every(({ bytes }) => bytes < 5_000_000)).toBe(true)
    const reported = events.length
    await lab.close()
    await stranger?.close()
    expect(events).toHaveLength(reported)
  })
})

describe.each(transports)('over $name, forty calls on one signal', (transport) => {
  it.each(['success', 'stop while waiting', 'stop while reading', 'stop while backing off'] as const)(
    'leave no listener and cause no warning: %s',
    async (name) => {
      const warnings: Error[] = []
      const warned = (warning: Error) => warnings.push(warning)
      process.on('warning', warned)
      const fault = endingFaults[name]
      const lab = await openLab(transport, { script: 'script' in fault ? fault.script : [] })
      lab.clock.chance = 0.5
      const stop = new AbortController()
      const calls = Promise.all(Array.from({ length: 40 }, () => settled(endingOf(name).run({ ...lab, stop }))))
      if (name !== 'success') {
        await lab.when(() => lab.server.seen.length === 40)
        stop.abort(enough)
        expect(new Set(await calls)).toEqual(new Set([enough]))
      } else expect(new Set(await lab.until(calls))).toEqual(new Set([undefined]))
      expect(getEventListeners(stop.signal, 'abort')).toEqual([])
      expect(lab.clock.pending).toEqual([])
      await lab.when(() => lab.server.counts.working === 0)
      await lab.close()
      process.off('warning', warned)
      expect(warnings).toEqual([])
    },
  )
})
