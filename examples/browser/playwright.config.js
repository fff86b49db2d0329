import { defineConfig } from '@playwright/test'

export default defineConfig({
  testMatch: '*.spec.js',
  webServer: { command: 'npx vite --port 5173 --strictPort', url: 'http://localhost:5173' },
  use: {
    baseURL: 'http://localhost:5173',
    // The browser of `npx playwright install`, or one of your own.
    launchOptions: { executablePath: process.env.CHROMIUM, args: process.env.CHROMIUM ? ['--no-sandbox'] : [] },
  },
})
