// The state machine of an object as a picture, drawn from the transitions that the service serves.
export const Machine = (_props: { readonly name: string; readonly now: string }) => null;
