import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The back end serves the page at this path. */
export default defineConfig({ base: '/plugin/', plugins: [react()] });
