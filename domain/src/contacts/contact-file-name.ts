/** Whether a file name has a supported extension: csv, vcf or txt. */
export function isContactFileName(fileName: string): boolean {
  return /\.(csv|vcf|txt)$/i.test(fileName.trim());
}
