// A function that JAX saved in a .cyxla file, as an object of C++.
#ifndef MODEL_HPP
#define MODEL_HPP

#include <cyxla.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

// The dtype of a type of C++.
template <typename T>
constexpr cyxla_dtype dtype_of() {
  if constexpr (std::is_same_v<T, float>) return CYXLA_FLOAT32;
  if constexpr (std::is_same_v<T, double>) return CYXLA_FLOAT64;
  if constexpr (std::is_same_v<T, std::complex<float>>) return CYXLA_COMPLEX64;
  if constexpr (std::is_same_v<T, std::complex<double>>) return CYXLA_COMPLEX128;
  if constexpr (std::is_same_v<T, bool>) return CYXLA_BOOL;
  if constexpr (std::is_same_v<T, std::int8_t>) return CYXLA_INT8;
  if constexpr (std::is_same_v<T, std::int16_t>) return CYXLA_INT16;
  if constexpr (std::is_same_v<T, std::int32_t>) return CYXLA_INT32;
  if constexpr (std::is_same_v<T, std::int64_t>) return CYXLA_INT64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return CYXLA_UINT8;
  if constexpr (std::is_same_v<T, std::uint16_t>) return CYXLA_UINT16;
  if constexpr (std::is_same_v<T, std::uint32_t>) return CYXLA_UINT32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return CYXLA_UINT64;
  return static_cast<cyxla_dtype>(0);
}

// The elements of an input or output, which belong to the model.
template <typename T>
class Array {
 public:
  Array(T *data, std::size_t size) : data_(data), size_(size) {}

  T *data() const {
    return data_;
  }
  std::size_t size() const {
    return size_;
  }
  T *begin() const {
    return data_;
  }
  T *end() const {
    return data_ + size_;
  }
  T &operator[](std::size_t index) const {
    return data_[index];
  }

 private:
  T *data_;
  std::size_t size_;
};

// One thread's seat at a function. A model is used by one thread at a time and can be
// moved but not copied; another thread gets a seat of its own. Whatever fails throws a
// std::runtime_error with the message of the library.
class Model {
 public:
  using Shape = std::initializer_list<std::int64_t>;

  // Opens a file, which compiles the function in it.
  explicit Model(const char *path) {
    cyxla_executable *opened = nullptr;
    cyxla_error error;
    check(cyxla_open(path, nullptr, &opened, &error), error);
    const std::unique_ptr<cyxla_executable, Destroy> executable(opened);
    call_ = make_call(opened);
  }

  // Another seat at the same function, with arrays of its own. Nothing is compiled.
  Model seat() const {
    return Model(make_call(executable()));
  }

  // An input, to be filled in before a run. It keeps its values, and its place in
  // memory for as long as the model lives, wherever that is moved to.
  template <typename T>
  Array<T> input(const char *name, Shape shape) {
    const std::size_t index = cyxla_executable_find_input(executable(), name);
    const cyxla_array_spec *spec = cyxla_executable_input(executable(), index);
    expect<T>("input ", name, spec, shape);
    return {static_cast<T *>(cyxla_call_input(call_.get(), index)), size_of(shape)};
  }

  // An output of the last run. It is there until the next one.
  template <typename T>
  Array<const T> output(const char *name, Shape shape) const {
    const std::size_t index = cyxla_executable_find_output(executable(), name);
    const cyxla_array_spec *spec = cyxla_executable_output(executable(), index);
    expect<T>("output ", name, spec, shape);
    const void *data = cyxla_call_output(call_.get(), index);
    if (data == nullptr) {
      throw std::runtime_error(std::string("there is no output ") + name +
                               " until a run has succeeded");
    }
    return {static_cast<const T *>(data), size_of(shape)};
  }

  void run() {
    cyxla_error error;
    check(cyxla_call_run(call_.get(), &error), error);
  }

 private:
  struct Destroy {
    void operator()(cyxla_executable *executable) const {
      cyxla_executable_destroy(executable);
    }
    void operator()(cyxla_call *call) const {
      cyxla_call_destroy(call);
    }
  };
  using Call = std::unique_ptr<cyxla_call, Destroy>;

  explicit Model(Call call) : call_(std::move(call)) {}

  static void check(cyxla_status status, const cyxla_error &error) {
    if (status != CYXLA_OK) throw std::runtime_error(error.message);
  }

  static Call make_call(cyxla_executable *executable) {
    cyxla_call *call = nullptr;
    cyxla_error error;
    check(cyxla_call_create(executable, &call, &error), error);
    return Call(call);
  }

  cyxla_executable *executable() const {
    return cyxla_call_executable(call_.get());
  }

  static std::size_t size_of(Shape shape) {
    std::size_t size = 1;
    for (const std::int64_t length : shape) size *= static_cast<std::size_t>(length);
    return size;
  }

  static std::string text(cyxla_dtype dtype, const std::int64_t *shape,
                          std::size_t rank) {
    std::string result = std::string(cyxla_dtype_name(dtype)) + "[";
    for (std::size_t i = 0; i < rank; i++) {
      result += (i > 0 ? " x " : "") + std::to_string(shape[i]);
    }
    return result + "]";
  }

  // Throws unless the array is there and is what the program takes it for.
  template <typename T>
  static void expect(const char *kind, const char *name, const cyxla_array_spec *spec,
                     Shape shape) {
    constexpr cyxla_dtype dtype = dtype_of<T>();
    static_assert(dtype != 0, "arrays have elements of another type");
    if (spec == nullptr) {
      throw std::runtime_error(std::string("the function has no ") + kind + name);
    }
    if (spec->dtype != dtype || !std::equal(shape.begin(), shape.end(), spec->shape,
                                            spec->shape + spec->rank)) {
      throw std::runtime_error(std::string(kind) + name + " is " +
                               text(spec->dtype, spec->shape, spec->rank) +
                               ", expected " +
                               text(dtype, shape.begin(), shape.size()));
    }
  }

  // The call keeps its executable, so this is all that has to be owned.
  Call call_;
};

#endif
