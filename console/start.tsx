// What the served pages hold before the script runs, by the name of the file: for a visitor without a session, and for one with a session
// in each mode. Only the build reads this.
import { Frame, SignInForm, Waiting } from './frame.tsx';

const frame = (isSandbox: boolean) => (
  <Frame top={{ isSandbox }}>
    <Waiting />
  </Frame>
);

export const START = { 'sign-in': <SignInForm isBusy />, sandbox: frame(true), live: frame(false) };
