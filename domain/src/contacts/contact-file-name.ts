/** Whether a file's name ends like one of a format we read: csv, vcf or txt. */
export function isContactFileName(fileName: string): boolean {
  return /\.(csv|vcf|txt)$/i.test(fileName.trim());
}
