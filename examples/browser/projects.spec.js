// Playwright: npx playwright test
import { test as base, expect } from '@playwright/test'
import { createServer } from '@svc/reference-server/core'

/** A page with a server of its own, in the process of the test. */
const test = base.extend({
  server: async ({ page }, use) => {
    const server = createServer()
    const { baseUrl, publicBaseUrl, close } = await server.listen()
    await page.addInitScript((service) => Object.assign(globalThis, { service }), { baseUrl, publicBaseUrl })
    await use(server)
    await close()
  },
})

test('adds a project', async ({ page, server }) => {
  server.world.createProject({ name: 'Sales' })
  await page.goto('/')
  await expect(page.getByRole('listitem')).toHaveText(['Sales'])

  await page.getByLabel('Name').fill('Support')
  await page.getByRole('button', { name: 'Add' }).click()

  await expect(page.getByRole('listitem')).toHaveText(['Support', 'Sales'])
  expect(server.requests.filter(({ method }) => method === 'POST')).toMatchObject([
    { operation: 'projects.create', status: 201, body: { name: 'Support' } },
  ])
})

test('shows why there are no projects', async ({ page, server }) => {
  server.world.revoke('sk-service-api03-reference')
  await page.goto('/')
  await expect(page.getByRole('alert')).toHaveText('Cannot load the projects: authentication')
})

base('the page has a server in itself without one of the test', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByRole('alert')).toHaveText('No projects yet.')

  await page.getByLabel('Name').fill('Support')
  await page.getByRole('button', { name: 'Add' }).click()

  await expect(page.getByRole('listitem')).toHaveText(['Support'])
})
