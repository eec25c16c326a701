// `npm start`: compiles changed sources, then runs the service in this process. There is no shell or second process between npm and the
// service, so a stop signal reaches the service.
import { compile } from './build.mjs';

compile();

await import('../dist/src/main.js');
