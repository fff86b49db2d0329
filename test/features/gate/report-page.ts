import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import axe, { type AxeResults, type RunOptions } from 'axe-core'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import { html, loadApp } from '../../../packages/checks/src/renderers/index.js'
import type { CheckReport } from '../../../packages/checks/src/report/index.js'

/** The forbidden activity of a page, and its appearance. */
export interface Seen {
  /** The requests for anything but its own file. */
  requests: string[]
  /** The texts of the console, of errors and of dialogs. */
  messages: string[]
  screenshot(): Promise<{ width: number; height: number; colors: number }>
}

/** A Chromium without a window. */
export const startChromium = (binary: string): Promise<Browser> =>
  puppeteer.launch({ executablePath: binary, args: ['--no-sandbox', '--disable-gpu'] })

/** The serious and critical findings of axe. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } }
    const { violations } = await axe.run({ resultTypes: ['violations'] })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
  })
}

const app = await loadApp()

/** Writes a report as a file of its own, and gives its address. */
export function writeReport(folder: string, report: CheckReport): string {
  const file = join(mkdtempSync(join(folder, 'page-')), 'report.html')
  writeFileSync(file, [...html(report, app)].join(''))
  return pathToFileURL(file).href
}

/** Opens a report from its file, and closes it again. */
export async function openReport(
  binary: string,
  folder: string,
  report: CheckReport,
  look: (page: Page, seen: Seen) => Promise<void>,
): Promise<void> {
  const url = writeReport(folder, report)
  const browser = await startChromium(binary)
  try {
    const page = await browser.newPage()
    const seen: Seen = { requests: [], messages: [], screenshot: () => screenshot(page) }
    page.on('request', (request) => void (request.url() !== url && seen.requests.push(request.url())))
    page.on('console', (message) => void seen.messages.push(message.text()))
    page.on('pageerror', (error) => void seen.messages.push(String(error)))
    page.on('dialog', (dialog) => {
      seen.messages.push(dialog.message())
      void dialog.dismiss()
    })
    await page.setViewport({ width: 1280, height: 860 })
    await page.goto(url)
    await look(page, seen)
  } finally {
    await browser.close()
  }
}

/** Takes a picture, and lets an empty page of the same browser count its colours. */
async function screenshot(page: Page): Promise<{ width: number; height: number; colors: number }> {
  const picture = await page.screenshot({ encoding: 'base64' })
  const blank = await page.browser().newPage()
  try {
    return await blank.evaluate(async (data) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob())
      const { width, height } = image
      const canvas = new OffscreenCanvas(width, height).getContext('2d')
      canvas?.drawImage(image, 0, 0)
      const pixels = new Uint32Array(canvas?.getImageData(0, 0, width, height).data.buffer ?? new ArrayBuffer(0))
      return { width, height, colors: new Set(pixels).size }
    }, picture)
  } finally {
    await blank.close()
  }
}

export const textOf = (page: Page, selector: string) =>
  page.$$eval(selector, (found) => found.map((each) => each.textContent ?? ''))

/** The part of the address that names a filter or a transcript. */
export const fragment = (page: Page) => page.evaluate(() => location.hash)

export const press = async (page: Page, ...keys: Parameters<Page['keyboard']['press']>[0][]) => {
  for (const key of keys) await page.keyboard.press(key)
}
