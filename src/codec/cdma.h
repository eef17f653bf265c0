/* C interface of the compressing copy, shaped after cudaMemcpyCompressed() of the cDMA paper (Rhu et al., HPCA
 * 2018, section V): a copy from device to host compresses and tells the compressed size; the copy back takes it.
 * Both sides are host memory here. Zero-value compression, window-independent; no allocation, thread-safe. */
#ifndef WG_CODEC_CDMA_H_
#define WG_CODEC_CDMA_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  WG_CDMA_OK = 0,
  WG_CDMA_CAPACITY = 1, /* the destination is too small; *csize says what is needed */
  WG_CDMA_CORRUPT = 2,  /* the stream is not what compressing `count` bytes gives */
  WG_CDMA_ARGUMENT = 3  /* a null pointer, or an element size other than 1, 2, 4, 8 */
};

/* The largest compressed size of `count` bytes: count + 4 for every 32 elements, begun or whole. 0 for an element
 * size other than 1, 2, 4, 8. */
size_t wg_memcpy_compressed_bound(size_t count, size_t element);

/* Device to host: compresses `count` bytes at `src` to `dst`, writes at most `capacity` bytes, and sets *csize to
 * the compressed size. `element` is the size of one value: 4 in the paper. Returns WG_CDMA_*. */
int wg_memcpy_compressed_to_host(void* dst, size_t capacity, const void* src, size_t count, size_t element,
                                 size_t* csize);

/* Host to device: expands the `csize` bytes at `src` to exactly `count` bytes at `dst`. Returns WG_CDMA_*; `dst`
 * may hold a part when it fails. */
int wg_memcpy_compressed_to_device(void* dst, size_t count, const void* src, size_t csize, size_t element);

#ifdef __cplusplus
}
#endif

#endif /* WG_CODEC_CDMA_H_ */
